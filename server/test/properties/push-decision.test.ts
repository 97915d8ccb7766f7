import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { pushRequest } from '../../src/contract/push.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { decidePush, type PushInput } from '../../src/service/sending/push-decision.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import { accepted, decision } from '../../src/store/engine/sets.ts';
import { caller, device, NOW, senderWith, settings } from '../support/decisions.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

/** An account in its trial, with two phones, one of which has muted a channel. */
function sender(quota: number | null, sends = 0): SendingAccount {
	const hearing = device('hearing');
	const muting = device('muting');
	return senderWith([hearing, muting], {
		channels: {
			muted: { devices: [muting], mutedBy: ['muting'] },
			loud: { devices: [hearing] },
			both: { devices: [muting] },
			empty: { devices: [] },
		},
		account: { quota },
		sends,
	});
}

const push = (
	fields: Omit<z.input<typeof pushRequest>, 'title'> = {},
	channels: string[] | null = null,
): PushInput => ({
	caller: caller(channels),
	request: pushRequest.parse({ title: 'Order', ...fields }),
});

const decideAll = (account: SendingAccount, pushes: readonly PushInput[]) =>
	pushes.map((push) => decision(() => decidePush(account, push, { settings, now: NOW })));

/** Pushes that are refused, each for another reason. */
const refused = fc.constantFrom(
	push({ badge: 99, target: { channels: ['nowhere'] } }),
	push({ badge: 99, target: { channels: ['empty'] } }),
	push({ badge: 99, target: { channels: ['loud'] } }, ['both']),
);

describe('pushes that are decided together', () => {
	it('let exactly the sends through that are left, and charge no refused one', () => {
		const request = fc.oneof(fc.constant(push()), refused);
		fc.assert(
			fc.property(fc.array(request), fc.nat(5), fc.nat(5), (pushes, quota, sent) => {
				const account = sender(quota, sent);
				const decisions = decideAll(account, pushes);
				const good = pushes.filter(({ request }) => !request.target).length;
				const left = Math.max(0, quota - sent);
				expect(accepted(decisions)).toHaveLength(Math.min(good, left));
				expect(account.newSends).toBe(Math.min(good, left));
				for (const one of decisions) if ('error' in one) expect(one.error).toBeInstanceOf(Refusal);
			}),
		);
	});

	it('are accepted in the order of arrival until the quota is used up', () => {
		fc.assert(
			fc.property(fc.array(fc.constant(push())), fc.nat(5), (pushes, quota) => {
				const isAccepted = decideAll(sender(quota), pushes).map((one) => 'result' in one);
				expect(isAccepted).toEqual(pushes.map((_, index) => index < quota));
			}),
		);
	});

	it('are decided as if the refused ones had not come', () => {
		const good = fc
			.record(
				{ badge: fc.nat(9), target: fc.constant<{ channels: string[] }>({ channels: ['both'] }) },
				{ requiredKeys: [] },
			)
			.map((fields) => ({ asked: push(fields), isGood: true }));
		const bad = refused.map((asked) => ({ asked, isGood: false }));
		fc.assert(
			fc.property(fc.array(fc.oneof(good, bad)), (pushes) => {
				const [all, alone] = [sender(null), sender(null)];
				const outcome = (account: SendingAccount, pushes: readonly PushInput[]) =>
					accepted(decideAll(account, pushes)).map(({ message, deliveries }) => ({
						content: message.content_json,
						deliveries: deliveries.map(({ device, isMuted }) => ({ device, isMuted })),
					}));
				expect(
					outcome(
						all,
						pushes.map(({ asked }) => asked),
					),
				).toEqual(
					outcome(
						alone,
						pushes.filter(({ isGood }) => isGood).map(({ asked }) => asked),
					),
				);
				expect(all).toEqual(alone);
			}),
		);
	});

	it('show the badge that those before them have set', () => {
		fc.assert(
			fc.property(fc.array(fc.option(fc.nat(9), { nil: undefined })), (badges) => {
				const account = sender(null);
				const pushes = badges.map((badge) => push(badge === undefined ? {} : { badge }));
				let shown = 0;
				for (const [index, { deliveries }] of accepted(decideAll(account, pushes)).entries()) {
					shown = badges[index] ?? shown;
					expect(deliveries.map(({ device }) => device.badge)).toEqual([shown, shown]);
				}
			}),
		);
	});

	it.each([
		[['muted'], { muting: true }],
		[['muted', 'both'], { muting: false }],
		[['muted', 'loud'], { muting: true, hearing: false }],
	])('interrupt by the channels %j where one of them is not muted', (channels, muted) => {
		const [decided] = accepted(decideAll(sender(null), [push({ target: { channels } })]));
		expect(
			Object.fromEntries(
				(decided?.deliveries ?? []).map(({ device, isMuted }) => [device.id, isMuted]),
			),
		).toEqual(muted);
	});

	it('are refused once their account is gone', () => {
		expect(() => decidePush(undefined, push(), { settings, now: NOW })).toThrow(
			'This account no longer exists.',
		);
	});
});
