import type { DeviceChannels } from '../../contract/device.ts';
import { channelsOfDevice, setMuted } from '../../store/phones/muted-channels.ts';
import type { Context } from '../context.ts';
import type { Phone } from './pairing.ts';
import { notFound } from '../refusal.ts';

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
