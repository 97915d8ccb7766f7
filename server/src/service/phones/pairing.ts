import type { Device, PairRequest } from '../../contract/device.ts';
import { PAIR_CODE_MINUTES } from '../../contract/pair-code.ts';
import {
	activeDeviceByTokenHash,
	type DeviceWithNames,
	insertDevice,
	markDisconnected,
	markSeen,
	statusOfDevice,
	takePairCode,
} from '../../store/phones/devices.ts';
import { memberById } from '../../store/people/members.ts';
import { COMMAND_LINE, phoneLabel, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { notFound, unauthorized } from '../refusal.ts';
import { hashSecret, newDeviceToken, newId } from '../secrets.ts';

/** A paired phone, as its requests know it. */
export type Phone = DeviceWithNames;

/** The phone as its own page sees it. */
export function shownDevice(device: Phone): Device {
	return {
		id: device.id,
		name: device.name,
		platform: device.platform,
		user: { name: device.user_name },
		account: { name: device.account_name },
	};
}

/**
 * Pairs a phone by a one-time code.
 * @returns the device and its token, which is never shown again
 * @throws Refusal `not_found` when the code is unknown, used or expired
 */
export async function pair(
	context: Context,
	request: PairRequest,
): Promise<{ device: Device; token: string }> {
	const token = newDeviceToken();
	const now = context.now();
	const device = await context.database.write(null, async (db) => {
		const code = await takePairCode(db, hashSecret(request.code), now);
		if (!code) {
			throw notFound(
				'Pairing code not found',
				`This pairing code is wrong, was used already, or is older than ${PAIR_CODE_MINUTES} minutes. Ask for a new one.`,
			);
		}
		await insertDevice(db, {
			id: code.device_id ?? newId('dev'),
			account_id: code.account_id,
			user_id: code.user_id,
			name: request.name,
			platform: request.platform,
			token_hash: hashSecret(token),
			status: 'active',
			push_token: request.push_token ?? null,
			push_registered_at: request.push_token === undefined ? null : now,
			push_to_start_token: request.push_to_start_token ?? null,
			badge: 0,
			paired_at: now,
			last_seen_at: now,
		});
		const paired = await activeDeviceByTokenHash(db, hashSecret(token));
		if (!paired) throw new Error('A device that was stored just now is not there');
		const { account_id: accountId, created_by: maker } = code;
		const member = maker === null ? undefined : await memberById(db, accountId, maker);
		// Until then the phone had neither a name nor a person: its code's maker let it in.
		const actor = member ? { ...member, kind: 'member' as const } : COMMAND_LINE;
		await record(db, { ...context, actor }, accountId, 'phone_paired', phoneLabel(paired));
		return paired;
	});
	context.openPages.accountChanged(device.account_id);
	return { device: shownDevice(device), token };
}

/**
 * Finds the device with this token.
 * @throws Refusal `unauthorized` for an unknown token or a disconnected device
 */
export async function requireDeviceByToken(context: Context, token: string): Promise<Phone> {
	const device = await activeDeviceByTokenHash(context.database.read, hashSecret(token));
	if (!device) {
		throw unauthorized(
			'Unauthorized',
			'This phone is not paired, or was disconnected. Pair it again.',
		);
	}
	context.lastUsed.note(device.id, device.last_seen_at, (db, now) => markSeen(db, device.id, now));
	return device;
}

/** Unpairs the phone at its user's request, which invalidates its token. */
export async function disconnect(context: Context, device: Phone): Promise<void> {
	const actor = { ...device, kind: 'phone' as const };
	await context.database.write(device.account_id, async (db) => {
		await markDisconnected(db, device.id);
		await record(db, { ...context, actor }, device.account_id, 'phone_disconnected', device.name);
	});
	context.openPages.inboxChanged(device.id);
}

export async function isPaired(context: Context, device: Phone): Promise<boolean> {
	const [row] = await statusOfDevice(context.database.read, { id: device.id });
	return row?.status === 'active';
}
