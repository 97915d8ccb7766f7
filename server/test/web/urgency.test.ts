import { describe, expect, it } from '@jest/globals';
import type { Notification as Push } from '../../src/contract/shown.ts';
import { bySection, cardKey, isUnfoldedAlone } from '../../web/device/urgency.ts';

const AT = '2026-03-01T12:00:00.000Z';

/** A notification with this id as its title. */
const card = (id: number, push: Partial<Push> = {}) => ({
	id,
	sent_at: AT,
	push: {
		title: String(id),
		interruption_level: 'active' as const,
		sound: 'default',
		...push,
	},
});
const question = (id: number, ended?: string, since?: number) => ({
	...card(id, {
		interruption_level: 'time-sensitive',
		question: {
			question_id: `of ${id}`,
			status: ended === undefined ? 'open' : 'withdrawn',
			...(ended !== undefined && { ended_at: ended }),
			deadline_at: AT,
			callback: 'none',
		},
	}),
	since,
});
const level = (id: number, interruption_level: Push['interruption_level']) =>
	card(id, { interruption_level });

const sorted = (
	notifications: Array<ReturnType<typeof card>>,
	seen: string[] = [],
	inUse?: string,
) => {
	const sections = bySection({ notifications }, (key) => seen.includes(key), inUse);
	const ids = Object.entries(sections).map(([name, cards]) => [
		name,
		(cards as Array<{ id: number }>).map(({ id }) => id),
	]);
	return Object.fromEntries(ids) as Record<keyof typeof sections, number[]>;
};

describe('the order of the lock screen', () => {
	const all = [
		level(9, 'passive'),
		level(8, 'passive'),
		level(7, 'critical'),
		question(6),
		level(5, 'time-sensitive'),
		question(4, AT),
		level(3, 'critical'),
		card(2),
	];

	it('is by urgency, whatever came last', () => {
		expect(sorted(all)).toEqual({
			questions: [6],
			urgent: [7, 3, 5],
			others: [9, 8, 2],
			ended: [4],
		});
	});

	it('has a critical one on top until it is seen, and no longer in use', () => {
		expect(sorted(all, ['n7'])).toMatchObject({ urgent: [3, 5], others: [9, 8, 7, 2] });
		expect(sorted(all, ['n7'], 'n7')).toMatchObject({ urgent: [7, 3, 5] });
	});

	it('keeps a question that ended in its place while it is in use', () => {
		expect(sorted(all, [], 'qof 4')).toMatchObject({ questions: [6, 4], ended: [] });
	});

	it('has the newest Time Sensitive ones only above Live Activities', () => {
		const storm = [5, 4, 3, 2, 1].map((id) => level(id, 'time-sensitive'));
		expect(sorted(storm)).toMatchObject({ urgent: [5, 4, 3], others: [2, 1] });
	});

	it('is not changed by a reminder of a question', () => {
		expect(sorted([question(9, undefined, 2), question(6)])).toMatchObject({ questions: [6, 9] });
	});

	it('has what ended last first', () => {
		const later = '2026-03-01T12:00:01.000Z';
		expect(sorted([question(9, AT), question(6, later)])).toMatchObject({ ended: [6, 9] });
	});

	it('names a card by its question, which several deliveries may show', () => {
		expect([question(6), card(2)].map(cardKey)).toEqual(['qof 6', 'n2']);
	});
});

it.each([
	['a question', question(1).push, true],
	[
		'a push with a button that calls a webhook',
		card(1, { actions: [{ title: 'Go', type: 'webhook' }] }).push,
		true,
	],
	['a critical push', level(1, 'critical').push, true],
	['any other', level(1, 'time-sensitive').push, false],
])('%s alone on the screen: its buttons are visible, or not', (_what, push, isUnfolded) => {
	expect(isUnfoldedAlone(push)).toBe(isUnfolded);
});
