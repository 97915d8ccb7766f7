import type {
	ConsoleDevice,
	DevicesAnswer,
	DevicesQuery,
	FirstSteps,
} from '../../contract/console/resources.ts';
import type { Reach } from '../../contract/values.ts';
import { channelsOfMembers } from '../../store/keys-and-channels/channel-pages.ts';
import { countRows, listPage } from '../../store/list-pages.ts';
import { devicesList, type Reaching } from '../../store/phones/device-pages.ts';
import {
	deviceById,
	type DeviceWithNames,
	listDevices,
	markDeviceRemoved,
	markDisconnected,
	renameDevice,
} from '../../store/phones/devices.ts';
import type { Db, DeviceRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTime } from '../context.ts';
import { conflict, notFound } from '../refusal.ts';

type Reachable = Pick<
	DeviceRow,
	'id' | 'status' | 'platform' | 'push_token' | 'push_subscription_json'
>;

/** The way a push currently reaches the device; `open` if its page is connected to this process. */
export function toReach(context: Context, device: Reachable): Reach {
	if (device.status !== 'active') return 'disconnected';
	if (context.openPages.isConnected(device.id)) return 'open';
	return whyNothingWakes(context, device) === undefined ? 'push' : 'while_open';
}

/** The reason no push service can wake the device, with a remedy; undefined if one can. */
export function whyNothingWakes(
	{ settings }: Context,
	{ platform, push_token: token, push_subscription_json: subscription }: Reachable,
): string | undefined {
	if (platform === 'web') {
		if (subscription !== null) return undefined;
		return 'Notifications are off on this phone. Open its page and turn them on.';
	}
	if (!settings.pushesToIphones)
		return 'This server has no key for Apple’s push service. Set BECKON_APNS_KEY_FILE.';
	if (token !== null) return undefined;
	return 'The app has not registered for push yet. Open it once.';
}

function shown(context: Context, device: DeviceWithNames, channels: string[]): ConsoleDevice {
	return {
		id: device.id,
		name: device.name,
		user: device.user_name,
		platform: device.platform,
		reach: toReach(context, device),
		advice: whyNothingWakes(context, device) ?? null,
		badge: device.badge,
		channels,
		paired_at: isoTime(device.paired_at),
		last_seen_at: isoTime(device.last_seen_at),
	};
}

export function toReaching({ openPages, settings }: Context, accountId: string): Reaching {
	return {
		connected: openPages.connectedDevices(accountId),
		pushesToIphones: settings.pushesToIphones,
	};
}

/** A page of the account's phones with their channels, direct or through the user. */
export async function devicesForConsole(
	context: Context,
	accountId: string,
	{ page = 1, sort: order = 'paired', ...asked }: Partial<DevicesQuery> = {},
): Promise<DevicesAnswer> {
	const { database } = context;
	const all = toReaching(context, accountId);
	const filter = { ...all, ...asked };
	const { rows, ...found } = await listPage(database, page, (db) =>
		devicesList(db, accountId, { order, ...filter }),
	);
	const members = rows.flatMap(({ id, user_id: userId }) => [id, userId]);
	const channels = await database.readInTurn((db) => channelsOfMembers(db, members));
	const channelsOf = (device: DeviceWithNames) =>
		[device.id, device.user_id].flatMap((id) => channels.get(id) ?? []);
	return {
		devices: rows.map((device) =>
			shown(context, device, [...new Set(channelsOf(device))].toSorted()),
		),
		...found,
		of: await database.readInTurn((db) => countRows(devicesList(db, accountId, all))),
	};
}

/** The first steps that concern phones: one is paired, and a push service can wake one. */
export async function firstPhones(
	{ database, settings: { pushesToIphones } }: Context,
	accountId: string,
): Promise<Pick<FirstSteps, 'phone' | 'notifications'>> {
	const exists = async (reach: Reach) => {
		const filter = { reach, connected: [], pushesToIphones };
		const found = await database.readInTurn((db) => countRows(devicesList(db, accountId, filter)));
		return found > 0;
	};
	const notifications = await exists('push');
	return { phone: notifications || (await exists('while_open')), notifications };
}

export function listAccountDevices(
	context: Context,
	accountId: string,
): Promise<DeviceWithNames[]> {
	return listDevices(context.database.read, accountId);
}

/** @throws Refusal `not_found` */
export async function requireDeviceById(db: Db, accountId: string, id: string): Promise<DeviceRow> {
	const device = await deviceById(db, accountId, id);
	if (device) return device;
	throw notFound('Device not found', 'This account has no such phone.');
}

/** @throws Refusal `not_found` */
export async function renameDeviceTo(
	context: ActingContext,
	accountId: string,
	id: string,
	name: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, id);
		await renameDevice(db, id, name);
		await record(db, context, accountId, 'phone_renamed', `${device.name} → ${name}`);
	});
}

/** Invalidates the phone's token; its user can pair it again. @throws Refusal `not_found` */
export async function disconnectDevice(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
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
export async function removeDevice(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, id);
		if (device.status === 'active')
			throw conflict('Connected', 'This phone is connected. Disconnect it first.');
		await markDeviceRemoved(db, id, context.now());
		await record(db, context, accountId, 'phone_removed', device.name);
	});
}
