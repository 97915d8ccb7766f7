import { DEVICES_PER_PAGE } from '../../contract/console/list-pages.ts';
import type {
	ConsoleDevice,
	DeviceOrder,
	DevicesAnswer,
	DevicesQuery,
} from '../../contract/console/resources.ts';
import type { Reach } from '../../contract/values.ts';
import { type ChannelWithMembers, listChannels } from '../../store/keys-and-channels/channels.ts';
import { listUsers } from '../../store/people/users.ts';
import {
	deviceById,
	type DeviceWithNames,
	listDevices,
	markDeviceRemoved,
	markDisconnected,
	updateDevice,
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

function shown(
	context: Context,
	device: DeviceWithNames,
	channels: readonly ChannelWithMembers[],
): ConsoleDevice {
	return {
		id: device.id,
		name: device.name,
		user: device.user_name,
		platform: device.platform,
		reach: toReach(context, device),
		advice: whyNothingWakes(context, device) ?? null,
		badge: device.badge,
		channels: channels.filter((one) => isInChannel(device, one)).map(({ slug }) => slug),
		paired_at: isoTime(device.paired_at),
		last_seen_at: isoTime(device.last_seen_at),
	};
}

/** True if the channel has the phone or its user. */
export function isInChannel(
	{ id, user_name: user }: Pick<DeviceWithNames, 'id' | 'user_name'>,
	{ users, devices }: Pick<ChannelWithMembers, 'users' | 'devices'>,
): boolean {
	return devices.includes(id) || users.includes(user);
}

/** "Phone 2" comes before "Phone 10". */
const { compare: compareNames } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const ORDERS: Record<DeviceOrder, (a: ConsoleDevice, b: ConsoleDevice) => number> = {
	// The order in which the store lists them.
	paired: () => 0,
	name: (a, b) => compareNames(a.name, b.name),
	user: (a, b) => compareNames(a.user, b.user) || compareNames(a.name, b.name),
	last_seen: (a, b) => Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at),
};

function isFound({ name, user }: ConsoleDevice, search: string): boolean {
	const text = `${name} ${user}`.toLowerCase();
	return search
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.includes(word));
}

/**
 * Lists the account's phones with their channels, direct or through the user, and the users they can be
 * assigned to.
 */
export async function devicesForConsole(
	context: Context,
	accountId: string,
	{ search = '', reach, sort = 'paired', page }: Partial<DevicesQuery> = {},
): Promise<DevicesAnswer> {
	const db = context.database.read;
	const [devices, channels, users] = await Promise.all([
		listDevices(db, accountId),
		listChannels(db, accountId),
		listUsers(db, accountId),
	]);
	const found = devices
		.map((device) => shown(context, device, channels))
		.filter((device) => isFound(device, search) && (reach ?? device.reach) === device.reach)
		.sort(ORDERS[sort]);
	const last = Math.max(1, Math.ceil(found.length / DEVICES_PER_PAGE));
	const shownPage = Math.min(page ?? 1, last);
	const start = (shownPage - 1) * DEVICES_PER_PAGE;
	return {
		devices: page === undefined ? found : found.slice(start, start + DEVICES_PER_PAGE),
		total: found.length,
		page: shownPage,
		of: devices.length,
		users: users.map(({ name }) => name),
	};
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
		await updateDevice(db, id, { name });
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
