import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { badgeRequest } from '../../src/contract/badge.ts';
import { type BadgeInput, decideBadge } from '../../src/service/sending/badges.ts';
import { BADGE_LANE } from '../../src/service/sending/delivery-lanes.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import { accepted, decision } from '../../src/store/engine/sets.ts';
import type { InLane } from '../../src/store/outbox/deliveries.ts';
import { lanesOf } from '../support/board.ts';
import { caller, device, NOW, senderWith } from '../support/decisions.ts';
import { MessageModel, reaches } from '../support/message-model.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

/** Channels of one connected phone each. */
const PHONES = ['kitchen', 'shop'];

/** An account with a connected phone in each of two channels, and a disconnected one in a third. */
function sender(): SendingAccount {
	const cellar = device('cellar', { status: 'disconnected' });
	const connected = PHONES.map((name) => device(name));
	return senderWith([...connected, cellar], {
		channels: {
			...Object.fromEntries(connected.map((one) => [one.id, { devices: [one] }])),
			cellar: { devices: [cellar] },
			empty: { devices: [] },
		},
	});
}

const badge = (
	number: number,
	target: string[] | null = null,
	channels: string[] | null = null,
): BadgeInput => ({
	caller: caller(channels),
	request: badgeRequest.parse({ badge: number, ...(target && { target: { channels: target } }) }),
});

const decideAll = (account: SendingAccount, badges: readonly BadgeInput[]) =>
	badges.map((badge) => decision(() => decideBadge(account, badge, { now: NOW })));

const good = fc
	.tuple(fc.nat(9), fc.option(fc.subarray(PHONES, { minLength: 1 }), { nil: null }))
	.map(([number, target]) => ({ number, target }));

const refused = fc.constantFrom(
	badge(99, ['nowhere']),
	badge(99, ['empty']),
	badge(99, ['cellar']),
	badge(99, ['shop'], ['kitchen']),
);

describe('badges that are decided together', () => {
	it('know what each phone showed before them, and leave the last one', () => {
		fc.assert(
			fc.property(fc.array(good), (badges) => {
				const account = sender();
				const model = new MessageModel(PHONES);
				const decided = accepted(
					decideAll(
						account,
						badges.map(({ number, target }) => badge(number, target)),
					),
				);
				expect(decided).toHaveLength(badges.length);
				for (const [index, { number, target }] of badges.entries()) {
					const before = decided[index]?.audience.devices.map(({ id, badge }) => [id, badge]);
					const reached = [...model.badges].filter(([phone]) => reaches(target, phone));
					expect(before).toEqual(reached);
					model.setBadge(number, target);
				}
				const shown = PHONES.map((phone) => [phone, account.badges.get(phone) ?? 0]);
				expect(shown).toEqual([...model.badges]);
			}),
		);
	});

	it('are decided as if the refused ones had not come', () => {
		const asked = fc.oneof(
			good.map(({ number, target }) => ({ asked: badge(number, target), isGood: true })),
			refused.map((asked) => ({ asked, isGood: false })),
		);
		fc.assert(
			fc.property(fc.array(asked), (badges) => {
				const decide = (badges: readonly BadgeInput[]) => {
					const account = sender();
					const decided = accepted(decideAll(account, badges));
					const lanes = lanesOf(decided, PHONES.map(waiting));
					return {
						account,
						replaced: lanes.replaced,
						sent: decided.map(({ message, deliveries }) => ({
							content: message.content_json,
							deliveries: deliveries.map((one) => [
								one.device.id,
								one.leasedUntil,
								lanes.overtaken.has(one),
							]),
						})),
					};
				};
				expect(decide(badges.map(({ asked }) => asked))).toEqual(
					decide(badges.filter(({ isGood }) => isGood).map(({ asked }) => asked)),
				);
			}),
		);
	});

	it('are refused where all their phones are disconnected, with the number of phones', () => {
		expect(() => decideBadge(sender(), badge(1, ['cellar']), { now: NOW })).toThrow(
			expect.objectContaining({
				kind: 'badge_disconnected',
				details: expect.objectContaining({ devices_targeted: 1, devices_updated: 0 }),
			}),
		);
	});

	it('interrupt as usual where a channel is muted: they make no sound', () => {
		const phone = device('kitchen');
		const account = senderWith([phone], {
			channels: { muted: { devices: [phone], mutedBy: ['kitchen'] } },
		});
		const [decided] = accepted(decideAll(account, [badge(1, ['muted'])]));
		expect(decided?.deliveries.map(({ isMuted }) => isMuted)).toEqual([false]);
	});

	it('are refused once their account is gone', () => {
		expect(() => decideBadge(undefined, badge(1), { now: NOW })).toThrow(
			'This account no longer exists.',
		);
	});
});

/** A stored badge waiting for its next attempt. */
function waiting(phone: string, index: number): InLane {
	const [id, message_id] = [index + 1, index + 1];
	return { id, message_id, device_id: phone, lane: BADGE_LANE, leased_until: null, replaceable: 1 };
}

describe("a phone's badges in its lane", () => {
	/** Leases of a phone's stored badges: none or expired while they wait, at most one in the future. */
	const stored = fc
		.tuple(fc.array(fc.constantFrom(null, NOW - 1, NOW), { maxLength: 3 }), fc.boolean())
		.map(([leases, isAttempted]) => ({ leases, isAttempted }));
	const pendingOf = (byPhone: Array<{ leases: Array<number | null>; isAttempted: boolean }>) =>
		byPhone
			.flatMap(({ leases, isAttempted }, phone) =>
				[...leases, ...(isAttempted ? [NOW + 1] : [])].map((leased_until) => ({
					phone: PHONES[phone] ?? '',
					leased_until,
				})),
			)
			.map(({ phone, leased_until }, index) => ({ ...waiting(phone, index), leased_until }));

	it('replace those that wait, and queue behind the one being attempted', () => {
		fc.assert(
			fc.property(
				fc.array(stored, { minLength: PHONES.length, maxLength: PHONES.length }),
				fc.array(good),
				(byPhone, badges) => {
					const pending = pendingOf(byPhone);
					const decided = accepted(
						decideAll(
							sender(),
							badges.map(({ number, target }) => badge(number, target)),
						),
					);
					const lanes = lanesOf(decided, pending);
					for (const [index, phone] of PHONES.entries()) {
						const sent = decided
							.flatMap(({ deliveries }) => deliveries)
							.filter((one) => one.device.id === phone);
						const stale = pending.filter(
							(one) => one.device_id === phone && (one.leased_until ?? 0) <= NOW,
						);
						const replaced = lanes.replaced.filter((id) => stale.some((one) => one.id === id));
						expect(replaced).toEqual(sent.length > 0 ? stale.map(({ id }) => id) : []);
						// The first is attempted at once, unless another is; of the others only the newest remains.
						const first = byPhone[index]?.isAttempted ? [] : sent.slice(0, 1);
						const others = sent.slice(first.length);
						expect(sent.filter((one) => one.leasedUntil !== null)).toEqual(first);
						expect(sent.filter((one) => !lanes.overtaken.has(one))).toEqual([
							...first,
							...others.slice(-1),
						]);
					}
					const attempted = pending.filter((one) => (one.leased_until ?? 0) > NOW);
					for (const { id } of attempted) expect(lanes.replaced).not.toContain(id);
				},
			),
		);
	});

	it('never replace a stored delivery that has to arrive', () => {
		const decided = accepted(decideAll(sender(), [badge(1, ['kitchen'])]));
		const lanes = lanesOf(decided, [{ ...waiting('kitchen', 0), replaceable: 0 }]);
		expect(lanes.replaced).toEqual([]);
		expect(decided[0]?.deliveries.map(({ leasedUntil }) => leasedUntil)).toEqual([null]);
	});
});
