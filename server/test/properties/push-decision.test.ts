import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { pushRequest } from '../../src/contract/push.ts';
import type { Caller, ServiceSettings } from '../../src/service/context.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { decidePush } from '../../src/service/sending/push-decision.ts';
import type { Sender } from '../../src/service/sending/sender.ts';
import { accepted, decision } from '../../src/service/sending/sets.ts';
import type { AudienceDevice } from '../../src/store/phones/device-audience.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

const NOW = Date.UTC(2026, 0, 31);

const settings: ServiceSettings = {
	rotationAgeMs: 1,
	upgradeUrl: 'https://example.com/upgrade',
	allowPrivateWebhooks: false,
	allowPrivatePushServices: false,
	pushesToIphones: false,
};

const caller: Caller = { accountId: 'acc', keyId: null, channels: null };

function device(id: string): AudienceDevice {
	return {
		id,
		user_id: `user of ${id}`,
		status: 'active',
		platform: 'web',
		push_token: null,
		push_to_start_token: null,
		push_environment: 'production',
		push_subscription_json: null,
		badge: 0,
		removed_at: null,
	};
}

/** An account in its trial, with two phones, one of which has muted a channel. */
function sender(quota: number | null, sends = 0): Sender {
	const muting = { ...device('muting'), channel_id: 'chn', is_muted: true };
	return {
		account: {
			id: 'acc',
			name: 'Bakery',
			owner_email: 'o@example.com',
			plan: 'trial',
			trial_started_at: 0,
			trial_ends_at: null,
			quota,
			overage_cap: null,
			created_at: 0,
		},
		period: 'trial',
		sends,
		newSends: 0,
		devices: [device('hearing'), device('muting')],
		channels: new Map([
			['muted', [muting]],
			['loud', [{ ...device('hearing'), channel_id: 'loud', is_muted: false }]],
			['both', [{ ...muting, is_muted: false }]],
			['empty', []],
		]),
		badges: new Map(),
	};
}

type Request = Parameters<typeof decidePush>[1]['request'];

const decideAll = (account: Sender, requests: readonly Request[]) =>
	requests.map((request) =>
		decision(() => decidePush(account, { caller, request }, { settings, now: NOW })),
	);

const push = (fields: Omit<z.input<typeof pushRequest>, 'title'> = {}): Request =>
	pushRequest.parse({ title: 'Order', ...fields });

describe('pushes that are decided together', () => {
	it('let exactly the sends through that are left, and charge no refused one', () => {
		const request = fc.constantFrom(
			push(),
			push({ target: { channels: ['nowhere'] } }),
			push({ target: { channels: ['empty'] } }),
		);
		fc.assert(
			fc.property(fc.array(request), fc.nat(5), fc.nat(5), (requests, quota, sent) => {
				const account = sender(quota, sent);
				const decisions = decideAll(account, requests);
				const good = requests.filter(({ target }) => !target).length;
				const left = Math.max(0, quota - sent);
				expect(accepted(decisions)).toHaveLength(Math.min(good, left));
				expect(account.newSends).toBe(Math.min(good, left));
				for (const one of decisions) if ('error' in one) expect(one.error).toBeInstanceOf(Refusal);
			}),
		);
	});

	it('show the badge that those before them have set', () => {
		fc.assert(
			fc.property(fc.array(fc.option(fc.nat(9), { nil: undefined })), (badges) => {
				const account = sender(null);
				const requests = badges.map((badge) => push(badge === undefined ? {} : { badge }));
				let shown = 0;
				for (const [index, { deliveries }] of accepted(decideAll(account, requests)).entries()) {
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
		expect(() =>
			decidePush(undefined, { caller, request: push() }, { settings, now: NOW }),
		).toThrow('This account no longer exists.');
	});
});
