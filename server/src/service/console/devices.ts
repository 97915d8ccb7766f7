import type {
	ConsoleDevice,
	DevicesAnswer,
	Reach,
	TestPushAnswer,
} from '../../contract/console/things.ts';
import type { Notification } from '../../contract/shown.ts';
import { listUsers } from '../../store/accounts.ts';
import { listChannels } from '../../store/channels.ts';
import { renameDevice } from '../../store/device-names.ts';
import {
	deviceById,
	type DeviceWithNames,
	listDevices,
	markDisconnected,
} from '../../store/devices.ts';
import { insertHistory } from '../../store/history.ts';
import type { DeviceRow } from '../../store/schema.ts';
import { type Context, isoTime } from '../context.ts';
import { attempt, storeDispatch } from '../dispatch.ts';
import { Refusal } from '../refusal.ts';
import { newHistoryId } from '../secrets.ts';

/** How a push reaches the device at this moment. */
function reachOf(context: Context, device: DeviceRow): Reach {
	if (device.status !== 'active') return 'disconnected';
	if (context.live.isConnected(device.id)) return 'open';
	const canBeWoken =
		device.platform === 'ios' ? device.push_token !== null : device.push_subscription_json !== null;
	return canBeWoken ? 'push' : 'asleep';
}

function shown(context: Context, device: DeviceWithNames, channels: string[]): ConsoleDevice {
	return {
		id: device.id,
		name: device.name,
		user: device.user_name,
		platform: device.platform,
		reach: reachOf(context, device),
		badge: device.badge,
		channels,
		paired_at: isoTime(device.paired_at),
		last_seen_at: isoTime(device.last_seen_at),
	};
}

/** The account's phones, the channels that each is in, itself or by its user, and whose they can be. */
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

/** The phone's token is of no use from now on; its person can pair it again. @throws Refusal `not_found` */
export async function disconnectDevice(
	context: Context,
	accountId: string,
	id: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		if (!(await deviceById(db, accountId, id))) throw deviceNotFound();
		await markDisconnected(db, id);
	});
	context.live.inboxChanged(id);
}

const TEST_PUSH: Notification = {
	title: 'It works',
	message: 'This is a test that somebody sent from the console.',
	interruption_level: 'active',
	sound: 'default',
};

/**
 * Sends one push to one phone, whatever channels it is in.
 * @throws Refusal `not_found`, or `conflict` for a phone that is disconnected
 */
export async function sendTestPush(
	context: Context,
	accountId: string,
	id: string,
): Promise<TestPushAnswer> {
	const dispatch = await context.database.write(accountId, async (db) => {
		const device = await deviceById(db, accountId, id);
		if (!device) throw deviceNotFound();
		if (device.status !== 'active') {
			throw new Refusal('conflict', 'Disconnected', 'This phone is disconnected. Pair it again.');
		}
		const historyId = newHistoryId(context.now());
		await insertHistory(db, {
			id: historyId,
			account_id: accountId,
			api_key_id: null,
			kind: 'push',
			title: TEST_PUSH.title,
			channels: null,
			tags: undefined,
			metadata: undefined,
			created_at: context.now(),
		});
		return storeDispatch(
			db,
			context,
			{
				account_id: accountId,
				history_id: historyId,
				kind: 'push',
				content_json: JSON.stringify(TEST_PUSH),
			},
			{ slugs: null, devices: [device] },
		);
	});
	const outcomes = await attempt(context, [dispatch]);
	const outcome = dispatch.deliveries.map((delivery) => outcomes.get(delivery.id))[0];
	if (outcome?.kind === 'delivered') {
		return context.live.isConnected(id)
			? { delivered: true, message: 'Sent. Look at the phone.' }
			: { delivered: true, message: 'Sent. The phone shows it when it is reached or opened.' };
	}
	return {
		delivered: false,
		message: 'The phone could not be reached yet. The push is stored and tried again.',
	};
}
