import type { Caller, ServiceSettings } from '../../src/service/context.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import type { AccountRow } from '../../src/store/schema.ts';
import type { AudienceDevice } from '../../src/store/phones/device-audience.ts';

/** The input of a decide function, made without a store. */

export const NOW = Date.UTC(2026, 0, 31);

export const settings: ServiceSettings = {
	rotationAgeMs: 1,
	upgradeUrl: 'https://example.com/upgrade',
	publicUrl: '',
	allowPrivateWebhooks: false,
	allowPrivatePushServices: false,
	pushesToIphones: false,
	maxOpenQuestions: 500,
};

/** A caller whose key reaches every device, or only those of the channels. */
export const caller = (channels: string[] | null = null): Caller => ({
	accountId: 'acc',
	keyId: null,
	channels,
});

export function device(id: string, fields: Partial<AudienceDevice> = {}): AudienceDevice {
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
		quiet_json: null,
		failed_at: null,
		app_json: null,
		...fields,
	};
}

interface SenderOptions {
	/** Devices of each channel; names in `mutedBy` have muted it. */
	channels?: Record<string, { devices: AudienceDevice[]; mutedBy?: string[] }>;
	account?: Partial<AccountRow>;
	sends?: number;
}

/** An account as loaded for a set: on the trial plan, without an end or a quota unless given. */
export function senderWith(
	devices: AudienceDevice[],
	{ channels = {}, account = {}, sends = 0 }: SenderOptions = {},
): SendingAccount {
	return {
		account: {
			id: 'acc',
			name: 'Bakery',
			owner_email: 'o@example.com',
			plan: 'trial',
			trial_started_at: 0,
			trial_ends_at: null,
			quota: null,
			overage_cap: null,
			time_zone: null,
			created_at: 0,
			...account,
		},
		period: 'trial',
		sends,
		newSends: 0,
		devices,
		channels: new Map(
			Object.entries(channels).map(([slug, { devices, mutedBy = [] }]) => [
				slug,
				devices.map((one) => ({ ...one, channel_id: slug, is_muted: mutedBy.includes(one.id) })),
			]),
		),
		badges: new Map(),
	};
}
