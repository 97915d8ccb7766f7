import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACTIVITIES_PER_DEVICE, type Board } from '../../src/service/sending/board.ts';
import { decideEnd, decideStart, decideUpdate } from '../../src/service/activities/decisions.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { accepted, decision } from '../../src/store/engine/sets.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import {
	decideDelete,
	decidePause,
	decidePut,
	decideResume,
} from '../../src/service/streams/decisions.ts';
import {
	activityOn,
	boardWith,
	changeTo,
	lanesOf,
	ROTATION_AGE,
	streamOf,
} from '../support/board.ts';
import { caller, device, NOW, senderWith } from '../support/decisions.ts';
import { STATES } from '../support/samples.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

/** Channels of one phone each. */
const PHONES = ['kitchen', 'shop'];

function sender(
	plan: 'trial' | 'paid',
	fields: { sends?: number; quota?: number } = {},
): SendingAccount {
	const { sends = 0, quota = null } = fields;
	const phones = PHONES.map((name) => device(name));
	return senderWith(phones, {
		account: { plan, quota, overage_cap: quota === null ? null : 0 },
		sends,
		channels: {
			...Object.fromEntries(phones.map((one) => [one.id, { devices: [one] }])),
			empty: { devices: [] },
		},
	});
}

type Decide = (board: Board) => unknown;

const start =
	(channels?: readonly string[], state: Record<string, unknown> = STATES.alert) =>
	(board: Board) =>
		decideStart(board, { caller: caller(), channels, change: changeTo(state) });

const put =
	(
		streamKey: string,
		state: Record<string, unknown> = STATES.alert,
		channels?: readonly string[],
	) =>
	(board: Board) =>
		decidePut(board, {
			caller: caller(),
			streamKey,
			channels,
			path: undefined,
			change: changeTo(state),
		});

const remove =
	(streamKey: string, state: Record<string, unknown> = {}) =>
	(board: Board) =>
		decideDelete(board, { caller: caller(), streamKey, change: changeTo(state) });

const pause = (key: string) => (board: Board) => decidePause(board, 'acc', key);
const resume = (key: string) => (board: Board) => decideResume(board, 'acc', key);

const update = (id: string, state: Record<string, unknown>) => (board: Board) =>
	decideUpdate(board, { caller: caller(), id, change: changeTo(state) });
const end = (id: string) => (board: Board) =>
	decideEnd(board, { caller: caller(), id, change: changeTo({}) });

const decideAll = (board: Board, requests: readonly Decide[]) =>
	requests.map((decide) => decision(() => decide(board)));

/** What a set stores, with the activities that it starts numbered. */
function storedBy(board: Board): string {
	const { newEntries, entryChanges, started, changed, detached, changedStreams, waiting } = board;
	const lanes = lanesOf(board.outgoing);
	const stored = JSON.stringify({
		entries: [newEntries, [...entryChanges]],
		activities: [started.map(({ row }) => row.id), [...changed]],
		streams: [detached, [...changedStreams]],
		sent: board.outgoing.map(({ message, deliveries }) => [
			message,
			deliveries.map((one) => [
				one.device.id,
				one.leasedUntil,
				one.isMuted,
				lanes.overtaken.has(one),
			]),
		]),
		waiting,
		replaced: lanes.replaced,
		sends: [...board.senders.values()].map(({ sends, newSends }) => [sends, newSends]),
		running: PHONES.map((phone) => board.runningOn(phone)),
	});
	return newEntries.reduce(
		(text, { id }, index) => text.replaceAll(id, `started ${index}`),
		stored,
	);
}

const key = fc.constantFrom('s', 't');
const state = fc.constantFrom<Record<string, unknown>>(
	STATES.alert,
	{ message: 'Full' },
	STATES.progress,
	{ percentage: 101 },
	{},
);
const target = fc.constantFrom(undefined, ['kitchen'], ['shop'], ['empty'], ['nowhere']);

const request: fc.Arbitrary<Decide> = fc.oneof(
	fc.tuple(key, state, target).map((args) => put(...args)),
	fc.tuple(target, state).map((args) => start(...args)),
	fc.tuple(key, state).map((args) => remove(...args)),
	key.map(pause),
	key.map(resume),
	state.map((change) => update('manual', change)),
	fc.constantFrom(end('manual'), end('unknown'), update('unknown', {})),
);

/** A running stream, and manual activities: the shop's phone is full. */
function stored(account: SendingAccount): Board {
	const ofStream = activityOn(PHONES, { row: { id: 'of s', stream_key: 's' } });
	const manual = ['manual', 'second', 'third', 'fourth'].map((id) =>
		activityOn(['shop'], { row: { id } }),
	);
	return boardWith(account, {
		streams: [streamOf('s', { activity_id: 'of s' })],
		activities: [ofStream, ...manual],
		running: new Map([
			['kitchen', 1],
			['shop', 1 + manual.length],
		]),
	});
}

describe('requests on Live Activities that are decided together', () => {
	it('are decided as if the refused ones had not come', () => {
		const plan = fc.constantFrom('trial' as const, 'paid' as const);
		const quota = fc.option(fc.nat(12), { nil: undefined });
		const kinds = new Set<string>();
		fc.assert(
			fc.property(
				plan,
				quota,
				fc.array(request, { maxLength: 20, size: 'max' }),
				(plan, quota, requests) => {
					const account = () => sender(plan, quota === undefined ? {} : { quota });
					const all = stored(account());
					const decisions = decideAll(all, requests);
					for (const one of decisions) {
						if (!('error' in one)) continue;
						expect(one.error).toBeInstanceOf(Refusal);
						kinds.add((one.error as Refusal).kind);
					}
					const without = stored(account());
					const good = requests.filter((_, index) => 'result' in (decisions[index] ?? {}));
					expect(accepted(decideAll(without, good))).toHaveLength(good.length);
					expect(storedBy(all)).toBe(storedBy(without));
				},
			),
			{ numRuns: scaled(300) },
		);
		expect([...kinds]).toEqual(
			expect.arrayContaining(['invalid', 'not_found', 'no_recipients', 'billing', 'capacity']),
		);
	});

	it('let exactly the sends through that are left', () => {
		fc.assert(
			fc.property(fc.array(key, { maxLength: 12 }), fc.nat(5), (keys, quota) => {
				const board = boardWith(sender('trial', { quota }));
				const changes = keys.map((key, index) =>
					put(key, { ...STATES.alert, message: `${index}` }),
				);
				const sent = accepted(decideAll(board, changes));
				expect(sent).toHaveLength(Math.min(keys.length, quota));
				expect(board.senders.get('acc')?.newSends).toBe(sent.length);
			}),
		);
	});
});

describe('the starts of a set', () => {
	const targets = fc.array(fc.constantFrom(undefined, ['kitchen'], ['shop']), { maxLength: 15 });
	const reached = (channels: readonly string[] | undefined) => channels ?? PHONES;

	it('are refused to a paid account once a phone is full', () => {
		fc.assert(
			fc.property(targets, (targets) => {
				const board = boardWith(sender('paid'));
				const counts = new Map(PHONES.map((phone) => [phone, 0]));
				for (const channels of targets) {
					const phones = reached(channels);
					const full = phones.filter((phone) => counts.get(phone) === ACTIVITIES_PER_DEVICE);
					const outcome = decision(() => start(channels)(board));
					if (full.length > 0)
						expect(outcome).toEqual({ error: expect.objectContaining({ kind: 'capacity' }) });
					else for (const phone of phones) counts.set(phone, (counts.get(phone) ?? 0) + 1);
				}
				for (const phone of PHONES) expect(board.runningOn(phone)).toBe(counts.get(phone));
			}),
		);
	});

	it('end the oldest activities of a trial account, and never leave a phone with too many', () => {
		fc.assert(
			fc.property(targets, (targets) => {
				const board = boardWith(sender('trial'));
				const running: Array<{ id: string; phones: readonly string[] }> = [];
				for (const channels of targets) {
					const phones = reached(channels);
					const { started, ended } = start(channels)(board);
					const evicted = ended.map(({ activity }) => activity.id);
					for (const phone of phones) {
						const before = running.filter((one) => one.phones.includes(phone));
						const left = before.filter(({ id }) => !evicted.includes(id));
						expect(left.length).toBeLessThan(ACTIVITIES_PER_DEVICE);
						// As many of the oldest as are needed, besides those that another phone has given up.
						if (before.length === ACTIVITIES_PER_DEVICE && phones.length === 1)
							expect(evicted).toEqual([before[0]?.id]);
					}
					const kept = running.filter(({ id }) => !evicted.includes(id));
					running.splice(0, running.length, ...kept, { id: started.activity.id, phones });
				}
				for (const phone of PHONES)
					expect(board.runningOn(phone)).toBe(
						running.filter(({ phones }) => phones.includes(phone)).length,
					);
			}),
		);
	});

	it('need no room for a stream that rotates', () => {
		const running = new Map([['kitchen', ACTIVITIES_PER_DEVICE]]);
		const board = boardWith(sender('paid'), {
			streams: [streamOf('s', { activity_id: 'act' })],
			activities: [activityOn(['kitchen'], { row: { stream_key: 's' } })],
			running,
		});
		const { applied } = put('s', STATES.progress, ['kitchen'])(board);
		expect(applied.operation).toBe('rotated');
		expect(applied.messages.map(({ message }) => message.kind)).toEqual([
			'activity_end',
			'activity_start',
		]);
		expect(running.get('kitchen')).toBe(ACTIVITIES_PER_DEVICE);
	});
});

describe('a stream that a set changes several times', () => {
	const operation = (decide: ReturnType<typeof put>) => (board: Board) =>
		decide(board).applied.operation;

	it.each<[string, Decide[], unknown[]]>([
		[
			'starts, then follows its own state',
			[
				operation(put('s')),
				operation(put('s')),
				operation(put('s', { message: 'Full' })),
				operation(put('s', STATES.progress)),
				operation(put('s', STATES.progress, ['shop'])),
				operation(put('s', {}, ['shop'])),
			],
			['started', 'noop', 'updated', 'rotated', 'rotated', 'noop'],
		],
		[
			'starts anew after its end',
			[operation(put('s')), (board) => remove('s')(board)?.activity.ended_at, operation(put('s'))],
			['started', NOW, 'started'],
		],
		[
			'remembers what it is told in a pause, and goes on with it',
			[
				operation(put('s')),
				(board) => pause('s')(board)?.activity.end_reason,
				operation(put('s', { message: 'Full' })),
				(board) => resume('s')(board)?.operation,
				operation(put('s', { message: 'Full' })),
			],
			['started', 'paused', 'paused', 'started', 'noop'],
		],
	])('%s', (_what, requests, answers) => {
		const board = boardWith(sender('paid'));
		expect(requests.map((decide) => decide(board))).toEqual(answers);
		const last = board.stream('acc', 's');
		const unended = [...board.changed].filter(({ row }) => row.ended_at === null);
		expect(unended.map(({ row }) => row.id)).toEqual([last?.activity_id]);
	});

	it('rotates by age', () => {
		const old = activityOn(PHONES, {
			row: { stream_key: 's', started_at: NOW - ROTATION_AGE - 1 },
		});
		const board = boardWith(sender('paid'), {
			streams: [streamOf('s', { activity_id: 'act' })],
			activities: [old],
		});
		expect(put('s')(board).applied).toMatchObject({
			operation: 'rotated',
			previous: { id: 'act' },
		});
	});

	it('starts from nothing after its activity was ended by its id', () => {
		const board = stored(sender('paid'));
		end('of s')(board);
		expect(() => put('s', { message: 'Full' })(board)).toThrow(
			expect.objectContaining({ kind: 'invalid' }),
		);
		expect(operation(put('s'))(board)).toBe('started');
	});
});

describe("a set's deliveries", () => {
	const inLane = (board: Board, phone: string) =>
		board.outgoing.flatMap(({ deliveries }) =>
			deliveries.filter(({ device: { id } }) => id === phone),
		);

	it('share the lane of their stream, where the newest update replaces those that wait', () => {
		const board = boardWith(sender('paid'));
		const messages = ['One', 'Two', 'Three'].map((message) => put('s', { message }));
		decideAll(board, [put('s'), ...messages, remove('s'), put('s')]);
		const lanes = lanesOf(board.outgoing);
		const deliveries = inLane(board, 'shop');
		const told = deliveries.map((one) => [
			one.message.kind,
			one.leasedUntil !== null,
			lanes.overtaken.has(one),
		]);
		expect(told).toEqual([
			['activity_start', true, false],
			['activity_update', false, true],
			['activity_update', false, true],
			['activity_update', false, true],
			['activity_end', false, false],
			['activity_start', false, false],
		]);
	});

	it('replace a stored update that waits, but not the end and start before it', () => {
		const row = { stream_key: 's' };
		const waiting = { device_id: 'shop', lane: 'stream:s', leased_until: null };
		const board = boardWith(sender('paid'), {
			streams: [streamOf('s', { activity_id: 'act' })],
			activities: [activityOn(PHONES, { row })],
		});
		put('s', { message: 'Full' })(board);
		const lanes = lanesOf(board.outgoing, [
			{ ...waiting, id: 1, message_id: 1, replaceable: 0 },
			{ ...waiting, id: 2, message_id: 2, replaceable: 1 },
		]);
		expect(lanes.replaced).toEqual([2]);
		expect(inLane(board, 'shop').map(({ leasedUntil }) => leasedUntil)).toEqual([null]);
		expect(inLane(board, 'kitchen')[0]?.leasedUntil).toBeGreaterThan(NOW);
	});

	it('wait for the token of an iPhone once it has been started there', () => {
		const iphone = device('iphone', { platform: 'ios', push_to_start_token: 'start' });
		const board = boardWith(senderWith([iphone, device('page')]));
		const answers = [put('s'), put('s', { message: 'Full' })].map((decide) => {
			const [message] = decide(board).applied.messages;
			return [message?.recipients.map(({ id }) => id), message?.queued];
		});
		expect(answers).toEqual([
			[['iphone', 'page'], 0],
			[['page'], 1],
		]);
		expect(board.waiting).toEqual([
			expect.objectContaining({ deviceId: 'iphone', message: board.outgoing[1]?.message }),
		]);
	});
});
