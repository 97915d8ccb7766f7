import type { DevicesPage, DevicesQuery } from '../../contract/console/resources.ts';
import { adviceFor } from '../../delivery/advice.ts';
import { channelsOfMembers } from '../../store/keys-and-channels/channels.ts';
import { countRows, listPage } from '../../store/list-pages.ts';
import {
	deviceById,
	queryDevices,
	type DeviceWithNames,
	markDeviceRemoved,
	markDisconnected,
	type ReachInput,
	UNSUBSCRIBED,
	updateDevice,
} from '../../store/phones/devices.ts';
import { mutedByDevices } from '../../store/phones/muted-channels.ts';
import type { Db, DeviceRow } from '../../store/schema.ts';
import type { Reachability } from '../../contract/values.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { quietUntil, toQuietSettings } from '../quiet/rules.ts';
import { requireReadableName } from '../people/names.ts';
import { conflict, notFound } from '../refusal.ts';

type Reachable = Pick<
	DeviceRow,
	'platform' | 'push_token' | 'push_subscription_json' | 'failure' | 'failed_at'
>;

/** When the browser lost its subscription, in milliseconds since 1970; null: it has not lost one. */
export const unsubscribedAt = ({
	platform,
	push_subscription_json: subscription,
	failure,
	failed_at: at,
}: Omit<Reachable, 'push_token'>) =>
	platform === 'web' && subscription === null && failure === UNSUBSCRIBED ? at : null;

/** Says since when, and what to do. */
export function unsubscribedSince(at: number): string {
	const [day, time = ''] = isoTime(at).split('T');
	return `No notifications since ${day} ${time.slice(0, 5)} UTC: open the page.`;
}

/** The reason no push service can wake the device, with a remedy; undefined if one can. */
export function pushProblem({ settings }: Context, device: Reachable): string | undefined {
	const { platform, push_token: token, push_subscription_json: subscription } = device;
	if (platform === 'web') {
		if (subscription !== null) return undefined;
		const since = unsubscribedAt(device);
		if (since !== null) return unsubscribedSince(since);
		return 'Notifications are off on this phone. Open its page and turn them on.';
	}
	if (!settings.pushesToIphones)
		return 'This server has no key for Apple’s push service. Set BECKON_APNS_KEY_FILE.';
	if (token !== null) return undefined;
	return 'The app has not registered for push yet. Open it once.';
}

/**
 * A phone in a list, with reasons why a message may not reach it, or may not make a sound.
 * @param muted from `mutedByDevices`
 */
export function toConsoleDevice(
	context: Context,
	device: DeviceWithNames & { reach: Reachability },
	muted: ReadonlyMap<string, string[]>,
) {
	const { id, name, platform, reach, failure: reason, failed_at: at } = device;
	return {
		...{ id, name, user: device.user_name, platform, reach },
		advice: pushProblem(context, device) ?? null,
		muted: muted.get(id) ?? [],
		quiet_until: isoTimeOrNull(quietUntil(toQuietSettings(device), context.now())),
		last_failure:
			reason === null || at === null || unsubscribedAt(device) !== null
				? null
				: { at: isoTime(at), reason, advice: adviceFor(reason) ?? null },
		paired_at: isoTime(device.paired_at),
		last_seen_at: isoTime(device.last_seen_at),
	};
}

/** What currently decides how pushes reach the account's phones; `open`: this process serves the phone's page. */
export function toReachInput({ openPages, settings }: Context, accountId: string): ReachInput {
	const { pushesToIphones } = settings;
	return { connected: openPages.connectedDevices(accountId), pushesToIphones };
}

/** A page of the account's phones with their channels, direct or through the user. */
export async function devicesForConsole(
	context: Context,
	accountId: string,
	query: Partial<DevicesQuery> = {},
): Promise<DevicesPage> {
	const { database } = context;
	const reaching = toReachInput(context, accountId);
	const { rows, ...found } = await listPage(database, query.page ?? 1, (db) =>
		queryDevices(db, accountId, { ...reaching, ...query }),
	);
	const members = rows.flatMap(({ id, user_id: userId }) => [id, userId]);
	const channels = await database.readInTurn((db) => channelsOfMembers(db, members));
	const channelsOf = ({ id, user_id: userId }: DeviceWithNames) =>
		new Set([id, userId].flatMap((member) => channels.get(member) ?? []));
	const ids = rows.map(({ id }) => id);
	const muted = await database.readInTurn((db) => mutedByDevices(db, ids));
	return {
		devices: rows.map((device) => ({
			...toConsoleDevice(context, device, muted),
			badge: device.badge,
			channels: [...channelsOf(device)].toSorted(),
		})),
		...found,
		of: await database.readInTurn((db) => countRows(queryDevices(db, accountId, reaching))),
	};
}

/** @throws Refusal `not_found` */
export async function requireDeviceById(db: Db, accountId: string, id: string): Promise<DeviceRow> {
	const device = await deviceById(db, accountId, id);
	if (device) return device;
	throw notFound('Device not found', 'This account has no such phone.');
}

/** @throws Refusal `not_found`, or `invalid` for a name that cannot be read */
export async function renameDeviceTo(
	context: ActingContext,
	accountId: string,
	id: string,
	name: string,
) {
	requireReadableName(name);
	await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, id);
		await updateDevice(db, id, { name });
		await record(db, context, accountId, 'phone_renamed', `${device.name} → ${name}`);
	});
}

/** Invalidates the phone's token; its user can pair it again. @throws Refusal `not_found` */
export async function disconnectDevice(context: ActingContext, accountId: string, id: string) {
	await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, id);
		await markDisconnected(db, id);
		await record(db, context, accountId, 'phone_disconnected', device.name);
	});
	context.openPages.inboxChanged(id);
}

/**
 * Removes a disconnected phone from every list; its deliveries stay in the history.
 * @throws Refusal `not_found`, or `conflict` while it is connected
 */
export async function removeDevice(context: ActingContext, accountId: string, id: string) {
	await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, id);
		if (device.status === 'active')
			throw conflict('Connected', 'This phone is connected. Disconnect it first.');
		await markDeviceRemoved(db, id, context.now());
		await record(db, context, accountId, 'phone_removed', device.name);
	});
}
