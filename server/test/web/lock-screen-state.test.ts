import { describe, expect, it } from '@jest/globals';
import type { Delivery, Snapshot } from '../../src/contract/device.ts';
import type { ShownActivity, ShownMetric } from '../../src/contract/shown.ts';
import { lacksShown, nextDeparture } from '../../web/device/lock-screen-questions.ts';
import { type LockScreenState, reduce } from '../../web/device/lock-screen-state.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const iso = (seconds = 0) => new Date(NOW + seconds * 1000).toISOString();

const snapshot = (changes: Partial<Snapshot> = {}): Snapshot => ({
	device: {
		id: 'd1',
		name: 'Phone',
		platform: 'web',
		user: { id: 'u1', name: 'Ada' },
		account: { name: 'Acme' },
	},
	server_time: iso(),
	cursor: 10,
	badge: 2,
	notifications: [],
	notification_count: 0,
	questions: [],
	activities: [],
	metrics: [],
	preferences: { seen_once: false, metrics: { order: [], hidden: [] } },
	...changes,
});

const activity = (id: string, changes: Partial<ShownActivity> = {}): ShownActivity => ({
	activity_id: id,
	stream_key: null,
	content_state: { type: 'progress', title: id, percentage: 0 },
	started_at: iso(-60),
	updated_at: iso(),
	dismiss_at: null,
	...changes,
});

const at = (percentage: number): Partial<ShownActivity> => ({
	content_state: { type: 'progress', title: 'p', percentage },
});

function push(
	id: number,
	changes: Partial<(Delivery & { kind: 'push' })['push']> = {},
	sentAt = iso(),
): Delivery {
	const content = {
		title: `Push ${id}`,
		interruption_level: 'active' as const,
		sound: 'default',
		...changes,
	};
	return { id, sent_at: sentAt, kind: 'push', push: content };
}

type ActivityKind = 'activity_start' | 'activity_update' | 'activity_end';

function activityDelivery(
	id: number,
	kind: ActivityKind,
	shown: ShownActivity,
	alert?: { title?: string; body?: string },
): Delivery {
	return { id, sent_at: iso(), kind, activity: shown, alert };
}

function started(changes: Partial<Snapshot> = {}): LockScreenState {
	return reduce(undefined, { type: 'snapshot', snapshot: snapshot(changes), now: NOW })!;
}

function receive(state: LockScreenState, ...deliveries: Delivery[]): LockScreenState {
	return deliveries.reduce(
		(current, delivery) => reduce(current, { type: 'delivery', delivery, now: NOW })!,
		state,
	);
}

function answered(id: number, pushId: number, button: string): Delivery {
	const answer = { button, by: 'Ada', device: 'Phone', at: iso(), final: true };
	const content = push(pushId, { answer }) as Delivery & { kind: 'push' };
	return { ...content, id, kind: 'push_update', delivery_id: pushId };
}

const percentages = (state: LockScreenState) =>
	state.activities.map(
		(card) => (card.activity.content_state as { percentage: number }).percentage,
	);

describe('notifications', () => {
	it('stand newest first, whatever the order of arrival', () => {
		const { id, sent_at, push: content } = push(4) as Delivery & { kind: 'push' };
		const state = receive(
			started({ notifications: [{ id, sent_at, push: content }] }),
			push(13),
			push(12),
		);
		expect(state.notifications.map((shown) => shown.id)).toEqual([13, 12, 4]);
		expect(state.cursor).toBe(13);
	});

	it('are shown once, however often they are delivered', () => {
		const first = receive(started(), push(11));
		expect(receive(first, push(11))).toBe(first);
		expect(receive(first, push(9))).toBe(first);
	});

	it('are shown once where one arrived while the snapshot was made', () => {
		const { id, sent_at, push: content } = push(11) as Delivery & { kind: 'push' };
		const state = started({ cursor: 10, notifications: [{ id, sent_at, push: content }] });
		expect(receive(state, push(11)).notifications).toHaveLength(1);
	});

	it('do not come back when they were swiped away and are delivered again', () => {
		const state = receive(started(), push(11));
		const dismissed = reduce(state, { type: 'notification_dismissed', id: 11 })!;
		expect(receive(dismissed, push(11)).notifications).toEqual([]);
	});

	it('are counted, those too that the snapshot does not have', () => {
		const state = receive(started({ notification_count: 3_000 }), push(11));
		expect(state.notificationCount).toBe(3_001);
		expect(reduce(state, { type: 'notification_dismissed', id: 11 })!.notificationCount).toBe(
			3_000,
		);
	});

	it('are cleared all at once, but for newer ones, and brought back', () => {
		const state = receive(started(), push(11), push(12));
		const cleared = receive(reduce(state, { type: 'notifications_cleared', upTo: 12 })!, push(13));
		expect(cleared.notifications.map(({ id }) => id)).toEqual([13]);
		const { notifications, notificationCount: count, cursor } = state;
		const restored = reduce(cleared, {
			type: 'notifications_restored',
			notifications,
			count,
			cursor,
		})!;
		expect(restored.notifications.map(({ id }) => id)).toEqual([13, 12, 11]);
		expect(restored.notificationCount).toBe(3);
	});

	it('come back in their place when a dismissal is undone, with the count', () => {
		const state = receive(started({ notification_count: 2 }), push(11), push(12), push(13));
		const gone = reduce(state, { type: 'notification_dismissed', id: 12 })!;
		const card = state.notifications.find(({ id }) => id === 12)!;
		const back = reduce(gone, { type: 'undone', card })!;
		expect(back.notifications.map(({ id }) => id)).toEqual([13, 12, 11]);
		expect([gone.notificationCount, back.notificationCount]).toEqual([4, 5]);
		expect(reduce(back, { type: 'undone', card })!.notificationCount).toBe(5);
	});

	it('bring Live Activities back, which are then changed again', () => {
		const change = (id: number, title: string): Delivery => {
			const shown = activity('one');
			const content_state = { ...shown.content_state, title };
			return { id, sent_at: iso(), kind: 'activity_update', activity: { ...shown, content_state } };
		};
		const state = receive(started(), change(11, 'before'));
		const gone = reduce(state, { type: 'activity_dismissed', activityId: 'one' })!;
		const missed = receive(gone, change(12, 'missed'));
		expect(missed.activities).toEqual([]);
		const shown = { cursor: 12, ids: [], count: 0, question_ids: [], activity_ids: ['one'] };
		expect(lacksShown(missed, shown)).toBe(true);
		const back = reduce(missed, { type: 'undone', card: state.activities[0]! })!;
		const titles = ({ activities }: LockScreenState) =>
			activities.map((card) => card.activity.content_state.title);
		expect(titles(back)).toEqual(['before']);
		const current = reduce(back, {
			type: 'notifications_restored',
			notifications: [],
			count: 0,
			cursor: 12,
			activities: [change(12, 'missed')].flatMap((one) => ('activity' in one ? one.activity : [])),
		})!;
		expect(titles(current)).toEqual(['missed']);
		expect(titles(receive(current, change(13, 'after')))).toEqual(['after']);
	});

	it('have the open questions of the snapshot among them, which clearing leaves', () => {
		const question = { ...(push(9) as Delivery & { kind: 'push' }).push, question: {} as never };
		const state = started({ questions: [{ id: 9, sent_at: iso(), push: question }] });
		expect(state.notifications.map(({ id }) => id)).toEqual([9]);
		const more = receive(state, push(11));
		expect(more.notificationCount).toBe(2);
		const cleared = reduce(more, { type: 'notifications_cleared', upTo: 11 })!;
		expect(cleared.notifications.map(({ id }) => id)).toEqual([9]);
		const told = { cursor: 11, ids: [], count: 0, question_ids: [9], activity_ids: [] };
		const next = reduce(cleared, { type: 'notifications_shown', shown: told })!;
		expect(next.notifications.map(({ id }) => id)).toEqual([9]);
		expect(next.notificationCount).toBe(1);
		expect(lacksShown(next, told)).toBe(false);
		expect(lacksShown(next, { ...told, question_ids: [9, 10] })).toBe(true);
	});

	it('follow what another page of the phone has dismissed', () => {
		const state = receive(started(), push(11), push(12), push(13));
		const shown = { cursor: 12, ids: [11], count: 1, question_ids: [], activity_ids: [] };
		const next = reduce(state, { type: 'notifications_shown', shown })!;
		expect(next.notifications.map(({ id }) => id)).toEqual([13, 11]);
		expect(next.notificationCount).toBe(2);
		expect(lacksShown(next, shown)).toBe(false);
		expect(
			lacksShown(next, { cursor: 13, ids: [13, 12], count: 2, question_ids: [], activity_ids: [] }),
		).toBe(true);
	});

	it('take Live Activities along that another phone has dismissed, but not newer ones', () => {
		const start = (id: number, name: string): Delivery => ({
			id,
			sent_at: iso(),
			kind: 'activity_start',
			activity: activity(name),
		});
		const state = receive(started(), start(11, 'gone'), start(12, 'kept'), start(13, 'new'));
		const shown = { cursor: 12, ids: [], count: 0, question_ids: [], activity_ids: ['kept'] };
		const next = reduce(state, { type: 'notifications_shown', shown })!;
		const ids = next.activities.map((card) => card.activity.activity_id);
		expect(ids.sort()).toEqual(['kept', 'new']);
	});

	it('do not ask for attention where they were held back, but are shown', () => {
		const state = receive(started(), { ...push(11), held: true });
		expect(state.attention).toBeUndefined();
		expect(state.notifications).toMatchObject([{ id: 11, held: true }]);
	});

	it('are not shown where their channel is muted, but set the badge', () => {
		const state = receive(started(), { ...push(11, { badge: 7 }), muted: true });
		expect(state).toMatchObject({ notifications: [], badge: 7, cursor: 11, attention: undefined });
	});

	it('take the place of the one before in their sequence, even if they come late or muted', () => {
		const of = (id: number, sequence: string) => push(id, { sequence_id: sequence });
		const ids = (...deliveries: Delivery[]) => {
			const state = receive(started(), of(11, 'other'), of(13, 'one'), ...deliveries);
			expect(state.notificationCount).toBe(state.notifications.length);
			return state.notifications.map(({ id }) => id);
		};
		expect(ids(of(14, 'one'))).toEqual([14, 11]);
		expect(ids(of(12, 'one'))).toEqual([13, 11]);
		expect(ids({ ...of(14, 'one'), muted: true })).toEqual([11]);
	});

	it('are taken off by who sent them', () => {
		const { push: content } = push(11, { cleared: true }) as Delivery & { kind: 'push' };
		const update = { id: 13, sent_at: iso(), kind: 'push_update' as const, delivery_id: 11 };
		const state = receive(started(), push(11), push(12), { ...update, push: content });
		expect(state).toMatchObject({ notifications: [{ id: 12 }], notificationCount: 1 });
	});

	it('ask for attention, unless they are passive or old', () => {
		expect(receive(started(), push(11)).attention).toMatchObject({
			id: 11,
			kind: 'push',
			title: 'Push 11',
		});
		expect(
			receive(started(), push(11, { interruption_level: 'passive' })).attention,
		).toBeUndefined();
		expect(receive(started(), push(11, {}, iso(-3600))).attention).toBeUndefined();
	});

	it('are kept to the newest hundred', () => {
		const many = Array.from({ length: 130 }, (_, index) => push(index + 11));
		const state = receive(started(), ...many);
		expect(state.notifications).toHaveLength(100);
		expect(state.notifications[0]?.id).toBe(140);
	});
});

describe('the badge', () => {
	it('follows badge deliveries and pushes with a badge, the newest delivery deciding', () => {
		const badge = (id: number, count: number): Delivery => ({
			id,
			sent_at: iso(),
			kind: 'badge',
			badge: count,
		});
		expect(started().badge).toBe(2);
		expect(receive(started(), badge(11, 5)).badge).toBe(5);
		expect(receive(started(), badge(11, 5), push(12, { badge: 0 })).badge).toBe(0);
		expect(receive(started(), push(12, { badge: 7 }), badge(11, 5)).badge).toBe(7);
		expect(receive(started(), push(12)).badge).toBe(2);
	});
});

describe('activities', () => {
	it('start, update in place and keep their order', () => {
		const older = activity('a', { started_at: iso(-100) });
		const newer = activity('b', { started_at: iso(-50) });
		const state = receive(
			started({ activities: [older, newer] }),
			activityDelivery(11, 'activity_update', { ...older, ...at(40) }),
		);
		expect(state.activities.map((card) => card.activity.activity_id)).toEqual(['b', 'a']);
		expect(percentages(state)).toEqual([0, 40]);
	});

	it('show the newest delivery even when an older one arrives after it', () => {
		const state = receive(
			started(),
			activityDelivery(11, 'activity_start', activity('a')),
			activityDelivery(13, 'activity_update', activity('a', at(80))),
			activityDelivery(12, 'activity_update', activity('a', at(40))),
		);
		expect(percentages(state)).toEqual([80]);
	});

	it('are shown from an update alone, because it carries the whole state', () => {
		expect(
			percentages(
				receive(started(), activityDelivery(11, 'activity_update', activity('a', at(30)))),
			),
		).toEqual([30]);
	});

	it('stay after their end until dismiss_at, then leave', () => {
		const ended = activity('a', { dismiss_at: iso(120) });
		const state = receive(
			started({ activities: [activity('a')] }),
			activityDelivery(11, 'activity_end', ended),
		);
		expect(state.activities).toHaveLength(1);
		expect(nextDeparture(state)).toBe(NOW + 120_000);
		const before = reduce(state, { type: 'time_passed', now: NOW + 119_000 })!;
		expect(before.activities).toHaveLength(1);
		expect(reduce(before, { type: 'time_passed', now: NOW + 120_000 })!.activities).toEqual([]);
	});

	it('leave at once where dismiss_at has passed', () => {
		const ended = activity('a', { dismiss_at: iso() });
		const state = receive(
			started({ activities: [activity('a')] }),
			activityDelivery(11, 'activity_end', ended),
		);
		expect(state.activities).toEqual([]);
		expect(nextDeparture(state)).toBeUndefined();
	});

	it('depart by the server clock, not by a wrong one in the phone', () => {
		const state = reduce(undefined, {
			type: 'snapshot',
			snapshot: snapshot({
				server_time: iso(300),
				activities: [activity('a', { dismiss_at: iso(420) })],
			}),
			now: NOW,
		})!;
		expect(state.clockOffset).toBe(300_000);
		expect(nextDeparture(state)).toBe(NOW + 120_000);
	});

	it('do not come back after they were swiped away', () => {
		const shown = started({ activities: [activity('a')] });
		const dismissed = reduce(shown, { type: 'activity_dismissed', activityId: 'a' })!;
		expect(dismissed.activities).toEqual([]);
		expect(
			receive(dismissed, activityDelivery(11, 'activity_update', activity('a', at(10)))).activities,
		).toEqual([]);
	});

	it('pulse and raise a banner with an alert, and not again with the next update', () => {
		const alerted = receive(
			started(),
			activityDelivery(11, 'activity_start', activity('a'), { title: 'Look', body: 'Now' }),
		);
		expect(alerted.activities[0]?.alertId).toBe(11);
		expect(alerted.attention).toMatchObject({ id: 11, kind: 'alert', title: 'Look', body: 'Now' });
		const updated = receive(alerted, activityDelivery(12, 'activity_update', activity('a', at(5))));
		expect(updated.activities[0]?.alertId).toBe(11);
		expect(updated.attention?.id).toBe(11);
	});

	it('take the words of an alert without any from the activity', () => {
		const state = receive(started(), activityDelivery(11, 'activity_start', activity('a'), {}));
		expect(state.attention).toMatchObject({ kind: 'alert', title: 'a' });
	});
});

describe('metrics', () => {
	const metric = (key: string, value: number): ShownMetric => ({
		key,
		name: key,
		format: 'number',
		unit: null,
		value,
		measured_at: iso(),
	});

	it('are replaced in place by their newest value; a new one joins at the end', () => {
		let state = started({ metrics: [metric('a', 1), metric('b', 2)] });
		state = reduce(state, { type: 'metric', metric: metric('a', 9) })!;
		state = reduce(state, { type: 'metric', metric: metric('c', 3) })!;
		expect(state.metrics.map(({ key, value }) => [key, value])).toEqual([
			['a', 9],
			['b', 2],
			['c', 3],
		]);
	});
});

describe('the state', () => {
	it('does not exist before the first snapshot', () => {
		expect(reduce(undefined, { type: 'delivery', delivery: push(1), now: NOW })).toBeUndefined();
	});

	it('skips kinds of deliveries that it does not know, but does not ask for them again', () => {
		const unknown = { id: 11, sent_at: iso(), kind: 'hologram' } as unknown as Delivery;
		const state = receive(started(), unknown);
		expect(state.cursor).toBe(11);
		expect(state.notifications).toEqual([]);
	});

	it('is the last one until the first snapshot has come, without what has gone meanwhile', () => {
		const gone = activity('gone', { dismiss_at: iso(30) });
		const last = receive(started({ activities: [gone, activity('runs')] }), push(11));
		const now = NOW + 60_000;
		const restored = reduce(undefined, { type: 'restored', state: last, now })!;
		expect(restored.activities.map((card) => card.activity.activity_id)).toEqual(['runs']);
		expect(restored.notifications).toHaveLength(1);
		expect(restored.attention).toBeUndefined();
		const current = started();
		expect(reduce(current, { type: 'restored', state: last, now })).toBe(current);
	});
});

describe('the answer to a question', () => {
	const answers = (state: LockScreenState) =>
		state.notifications.map(({ id, push: { answer } }) => [id, answer?.button]);

	it('is shown where the question is, and asks for no attention', () => {
		const asked = receive(started(), push(11), push(12));
		const state = receive(asked, answered(13, 11, 'Yes'));
		expect(answers(state)).toEqual([
			[12, undefined],
			[11, 'Yes'],
		]);
		expect(state.attention).toBe(asked.attention);
		expect(state.cursor).toBe(13);
	});

	it('is the newest, whatever the order in which they come', () => {
		const state = receive(started(), push(11), answered(13, 11, 'No'), answered(12, 11, 'Yes'));
		expect(answers(state)).toEqual([[11, 'No']]);
	});

	it('does not bring back a question that was swiped away', () => {
		const asked = receive(started(), push(11));
		const dismissed = reduce(asked, { type: 'notification_dismissed', id: 11 })!;
		expect(answers(receive(dismissed, answered(12, 11, 'Yes')))).toEqual([]);
	});
});
