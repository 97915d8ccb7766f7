import type { Quiet, QuietMuteRequest, QuietRequest } from '../../contract/quiet.ts';
import { deviceById, setBadges, updateDevice } from '../../store/phones/devices.ts';
import { updateSummary } from '../../store/phones/quiet-summaries.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import type { Device } from './pairing.ts';
import {
	muteEnd,
	NEVER_QUIET,
	type QuietSettings,
	toQuietSettings,
	quietUntil,
} from '../quiet/rules.ts';
import type { DeviceChannels, Preferences, PreferencesRequest } from '../../contract/device.ts';
import { fromJson } from '../../store/schema.ts';
import { updateUser, userById } from '../../store/people/users.ts';
import { channelsOfDevice, setMuted } from '../../store/phones/muted-channels.ts';
import { notFound } from '../refusal.ts';

function toQuiet(settings: QuietSettings, now: number): Quiet {
	const { muted_until: muted, ...rest } = settings;
	const muted_until = muted !== null && muted > now ? isoTime(muted) : null;
	return { ...rest, muted_until, quiet_until: isoTimeOrNull(quietUntil(settings, now)) };
}

/** When the phone is quiet. */
export function readQuiet(context: Context, device: Device): Quiet {
	return toQuiet(toQuietSettings(device), context.now());
}

/** Changes the phone's quiet hours, levels and the exception for questions; a mute stays. */
export function changeQuiet(context: Context, device: Device, request: QuietRequest) {
	return change(context, device, ({ muted_until, channel_levels: before }) => ({
		...request,
		channel_levels: request.channel_levels ?? before,
		muted_until,
	}));
}

/** Mutes the phone for a while, or unmutes it. */
export function muteQuiet(context: Context, device: Device, request: QuietMuteRequest) {
	const { mute, time_zone: sent } = request;
	return change(context, device, (settings, now) => {
		const time_zone = settings.time_zone ?? sent;
		const muted_until = mute && muteEnd(mute, { hours: settings.hours, time_zone }, now);
		return { ...settings, time_zone, muted_until };
	});
}

/** A summary of what was held back so far follows at the new end, or immediately if there is none. */
function change(
	context: Context,
	device: Device,
	changed: (settings: QuietSettings, now: number) => QuietSettings,
): Promise<Quiet> {
	const now = context.now();
	return context.database.write(device.account_id, async (db) => {
		const row = await deviceById(db, device.account_id, device.id);
		const settings = changed(row ? toQuietSettings(row) : NEVER_QUIET, now);
		await updateDevice(db, device.id, { quiet_json: JSON.stringify(settings) });
		await updateSummary(db, device.id, { due_at: quietUntil(settings, now) ?? now });
		return toQuiet(settings, now);
	});
}

const DEFAULT_PREFERENCES: Preferences = { seen_once: false, metrics: { order: [], hidden: [] } };

/** The choices of the phone's person. */
export function toPreferences(phone: Pick<Device, 'preferences_json'>): Preferences {
	return fromJson<Preferences>(phone.preferences_json) ?? DEFAULT_PREFERENCES;
}

/** Changes the person's choices, on all of their phones. Omitted ones are kept. */
export function changePreferences(context: Context, device: Device, change: PreferencesRequest) {
	return context.database.write(device.account_id, async (db) => {
		const user = await userById(db, device.account_id, device.user_id);
		const preferences = { ...toPreferences(user ?? device), ...change };
		await updateUser(db, device.user_id, { preferences_json: JSON.stringify(preferences) });
		return preferences;
	});
}

/** The channels that reach the phone, with their muted state. */
export async function listPhoneChannels(context: Context, device: Device): Promise<DeviceChannels> {
	return { channels: await channelsOfDevice(context.database.read, device) };
}

/**
 * Mutes or unmutes a channel on this phone (docs/api-decisions.md "Mute").
 * @throws Refusal `not_found` when the channel does not reach the phone
 */
export async function muteChannel(context: Context, device: Device, slug: string, muted: boolean) {
	const isMember = await context.database.write(device.account_id, (db) =>
		setMuted(db, device, slug, muted),
	);
	if (!isMember)
		throw notFound(
			'Channel not found',
			`Channel ${slug} does not reach this phone, or no longer does.`,
		);
}

/** Removes the badge from this phone until another one is sent. */
export async function clearBadge(context: Context, { id, account_id }: Device) {
	await context.database.write(account_id, (db) => setBadges(db, [{ id, badge: 0 }]));
}
