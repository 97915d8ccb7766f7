import type { ConsoleDevice, DevicesAnswer } from '../../contract/console/resources.ts';
import { listChannels } from '../../store/phones/channels.ts';
import { renameDevice } from '../../store/phones/devices.ts';
import {
	deviceById,
	type DeviceWithNames,
	listDevices,
	markDeviceRemoved,
	markDisconnected,
} from '../../store/phones/devices.ts';
import { listUsers } from '../../store/accounts/users.ts';
import { type ActingContext, record } from '../administration/audit.ts';
import { type Context, isoTime } from '../context.ts';
import { reachOf, whyNothingWakes } from '../phones/reach.ts';
import { Refusal } from '../refusal.ts';

function shown(context: Context, device: DeviceWithNames, channels: string[]): ConsoleDevice {
	return {
		id: device.id,
		name: device.name,
		user: device.user_name,
		platform: device.platform,
		reach: reachOf(context, device),
		advice: whyNothingWakes(context, device) ?? null,
		badge: device.badge,
		channels,
		paired_at: isoTime(device.paired_at),
		last_seen_at: isoTime(device.last_seen_at),
	};
}

/**
 * Lists the account's phones with their channels, direct or through the user, and the users they can be
 * assigned to.
 */
export async function devicesForConsole(
	context: Context,
	accountId: string,
): Promise<DevicesAnswer> {
	const db = context.database.read;
	const [devices, channels, users] = await Promise.all([
		listDevices(db, accountId),
		listChannels(db, accountId),
		listUsers(db, accountId),
	]);
	return {
		devices: devices.map((device) =>
			shown(
				context,
				device,
				channels
					.filter(
						(channel) =>
							channel.devices.includes(device.id) || channel.users.includes(device.user_name),
					)
					.map(({ slug }) => slug),
			),
		),
		users: users.map(({ name }) => name),
	};
}

function deviceNotFound(): Refusal {
	return new Refusal('not_found', 'Device not found', 'This account has no such device.');
}

/** @throws Refusal `not_found` */
export async function renameDeviceTo(
	context: Context,
	accountId: string,
	id: string,
	name: string,
): Promise<void> {
	const isKnown = await context.database.write(accountId, (db) =>
		renameDevice(db, accountId, id, name),
	);
	if (!isKnown) throw deviceNotFound();
}

/** Invalidates the phone's token; its user can pair it again. @throws Refusal `not_found` */
export async function disconnectDevice(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const device = await deviceById(db, accountId, id);
		if (!device) throw deviceNotFound();
		await markDisconnected(db, id);
		await record(db, context, accountId, 'phone_disconnected', device.name);
	});
	context.live.inboxChanged(id);
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
		const device = await deviceById(db, accountId, id);
		if (!device) throw deviceNotFound();
		if (device.status === 'active') {
			throw new Refusal('conflict', 'Connected', 'This phone is connected. Disconnect it first.');
		}
		await markDeviceRemoved(db, id, context.now());
		await record(db, context, accountId, 'phone_removed', device.name);
	});
}
