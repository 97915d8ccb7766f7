import type { DeviceChannels } from '../../contract/device.ts';
import type { Preferences, PreferencesRequest } from '../../contract/preferences.ts';
import { fromJson } from '../../store/json.ts';
import { updateUser, userById } from '../../store/people/users.ts';
import { channelsOfDevice, setMuted } from '../../store/phones/muted-channels.ts';
import type { Context } from '../context.ts';
import { notFound } from '../refusal.ts';
import type { Phone } from './pairing.ts';

const DEFAULT_PREFERENCES: Preferences = { seen_once: false, metrics: { order: [], hidden: [] } };

/** The choices of the phone's person. */
export function toPreferences(phone: Pick<Phone, 'preferences_json'>): Preferences {
	return fromJson<Preferences>(phone.preferences_json) ?? DEFAULT_PREFERENCES;
}

/** Changes the person's choices, on all of their phones. Omitted ones are kept. */
export function changePreferences(
	context: Context,
	device: Phone,
	change: PreferencesRequest,
): Promise<Preferences> {
	return context.database.write(device.account_id, async (db) => {
		const user = await userById(db, device.account_id, device.user_id);
		const preferences = { ...toPreferences(user ?? device), ...change };
		await updateUser(db, device.user_id, { preferences_json: JSON.stringify(preferences) });
		return preferences;
	});
}

/** The channels that reach the phone, with their muted state. */
export async function listPhoneChannels(context: Context, device: Phone): Promise<DeviceChannels> {
	return { channels: await channelsOfDevice(context.database.read, device) };
}

/**
 * Mutes or unmutes a channel on this phone (docs/api-decisions.md "Mute").
 * @throws Refusal `not_found` when the channel does not reach the phone
 */
export async function muteChannel(
	context: Context,
	device: Phone,
	slug: string,
	muted: boolean,
): Promise<void> {
	const isMember = await context.database.write(device.account_id, (db) =>
		setMuted(db, device, slug, muted),
	);
	if (!isMember) {
		throw notFound(
			'Channel not found',
			`Channel ${slug} does not reach this phone, or no longer does.`,
		);
	}
}
