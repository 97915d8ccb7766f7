import type { Quiet, QuietMuteRequest, QuietRequest } from '../../contract/quiet.ts';
import { deviceById, updateDevice } from '../../store/phones/devices.ts';
import { updateSummary } from '../../store/phones/quiet-summaries.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import type { Phone } from './pairing.ts';
import {
	muteEnd,
	NEVER_QUIET,
	type QuietSettings,
	toQuietSettings,
	quietUntil,
} from '../quiet/rules.ts';

function shown(settings: QuietSettings, now: number): Quiet {
	const { muted_until: muted, ...rest } = settings;
	const until = quietUntil(settings, now);
	return {
		...rest,
		muted_until: muted !== null && muted > now ? isoTime(muted) : null,
		quiet_until: isoTimeOrNull(until),
	};
}

/** When the phone is quiet. */
export function readQuiet(context: Context, device: Phone): Quiet {
	return shown(toQuietSettings(device), context.now());
}

/** Changes the phone's quiet hours, levels and the exception for questions; a mute stays. */
export function changeQuiet(
	context: Context,
	device: Phone,
	request: QuietRequest,
): Promise<Quiet> {
	return change(context, device, ({ muted_until, channel_levels: kept }) => ({
		...request,
		channel_levels: request.channel_levels ?? kept,
		muted_until,
	}));
}

/** Mutes the phone for a while, or unmutes it. */
export function muteQuiet(
	context: Context,
	device: Phone,
	{ mute, time_zone: sent }: QuietMuteRequest,
): Promise<Quiet> {
	return change(context, device, (settings, now) => {
		const timeZone = settings.time_zone ?? sent;
		return {
			...settings,
			time_zone: timeZone,
			muted_until: mute && muteEnd(mute, { hours: settings.hours, time_zone: timeZone }, now),
		};
	});
}

/** A summary of what was held back so far follows at the new end, or immediately if there is none. */
function change(
	context: Context,
	device: Phone,
	changed: (settings: QuietSettings, now: number) => QuietSettings,
): Promise<Quiet> {
	const now = context.now();
	return context.database.write(device.account_id, async (db) => {
		const row = await deviceById(db, device.account_id, device.id);
		const settings = changed(row ? toQuietSettings(row) : NEVER_QUIET, now);
		await updateDevice(db, device.id, { quiet_json: JSON.stringify(settings) });
		await updateSummary(db, device.id, { due_at: quietUntil(settings, now) ?? now });
		return shown(settings, now);
	});
}
