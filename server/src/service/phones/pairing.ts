import type { PairingResponse } from '../../contract/console/resources.ts';
import type { PairRequest, ShownDevice } from '../../contract/device.ts';
import { PAIR_CODE_MINUTES } from '../../contract/values.ts';
import { MINUTE_MS } from '../../durations.ts';
import {
	activeDeviceByTokenHash,
	type DeviceWithNames,
	insertDevice,
	insertPairCode,
	markDisconnected,
	statusOfDevice,
	findPairCode,
	takePairCode,
	updateDevice,
} from '../../store/phones/devices.ts';
import { memberById } from '../../store/people/members.ts';
import { firstUser, userByName } from '../../store/people/users.ts';
import { type ActingContext, actingMember, COMMAND_LINE, phoneLabel, record } from '../audit.ts';
import { type Context, isoTime } from '../context.ts';
import { requireReadableName } from '../people/names.ts';
import { forbidden, notFound, unauthorized } from '../refusal.ts';
import { hashSecret, newDeviceToken, newId, newPairCode } from '../secrets.ts';

/** A paired phone, with the names of its person and account. */
export type Device = DeviceWithNames;

/** The phone as its own page sees it. */
export function shownDevice(device: Device): ShownDevice {
	return {
		id: device.id,
		name: device.name,
		platform: device.platform,
		user: { id: device.user_id, name: device.user_name },
		account: { name: device.account_name },
	};
}

/**
 * Creates a code that pairs one phone of the user, valid for 15 minutes. Owners create them for anyone, other
 * members only for themselves: the phone's answers are under its user's name.
 * @param userName undefined: the account's first user
 * @throws Refusal `not_found`, or `forbidden` for a member and another user
 */
export async function createPairCode(context: ActingContext, accountId: string, userName?: string) {
	const code = newPairCode();
	const deviceId = newId('dev');
	const now = context.now();
	const expiresAt = now + PAIR_CODE_MINUTES * MINUTE_MS;
	const user = await context.database.write(accountId, async (db) => {
		const found =
			userName === undefined
				? await firstUser(db, accountId)
				: await userByName(db, accountId, userName);
		if (!found)
			throw notFound(
				'User not found',
				userName === undefined
					? 'This account has no user. Add one first.'
					: `This account has no user ${userName}.`,
			);
		const maker = await actingMember(db, context, accountId);
		if (maker && maker.role !== 'owner' && maker.user_id !== found.id)
			throw forbidden(
				'Owners only',
				`user must be yourself: only an owner can create pairing codes for someone else. Ask an owner for a code for ${found.name}.`,
			);
		await insertPairCode(db, {
			code_hash: hashSecret(code),
			account_id: accountId,
			user_id: found.id,
			device_id: deviceId,
			created_by: maker?.id ?? null,
			expires_at: expiresAt,
			created_at: now,
		});
		await record(db, context, accountId, 'pair_code_created', found.name);
		return found;
	});
	const expires_at = isoTime(expiresAt);
	return { code, user: user.name, device_id: deviceId, expires_at } satisfies PairingResponse;
}

/**
 * Pairs a phone by a one-time code.
 * @returns the device and its token, which is never shown again
 * @throws Refusal `not_found` when the code is unknown, used or expired, `invalid` for a name that cannot be read
 */
export async function pair(context: Context, request: PairRequest) {
	requireReadableName(request.name);
	const token = newDeviceToken();
	const now = context.now();
	const codeHash = hashSecret(request.code);
	// Found first, to take the account's lock: its person may be removed at the same time.
	const found = await findPairCode(context.database.read, codeHash);
	const device = await context.database.write(found?.account_id ?? null, async (db) => {
		const code = await takePairCode(db, codeHash, now);
		if (!code)
			throw notFound(
				'Pairing code not found',
				`This pairing code is wrong, was used already, or is older than ${PAIR_CODE_MINUTES} minutes. Ask for a new one.`,
			);
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
		const [paired] = await activeDeviceByTokenHash(db, { tokenHash: hashSecret(token) });
		if (!paired) throw new Error('The device that was just stored is missing');
		const { account_id: accountId, created_by: maker } = code;
		const member = maker === null ? undefined : await memberById(db, accountId, maker);
		// The log names the code's creator: before it is paired, a phone has neither a name nor a person.
		const actor = member ? { ...member, kind: 'member' as const } : COMMAND_LINE;
		await record(db, { ...context, actor }, accountId, 'phone_paired', phoneLabel(paired));
		return paired;
	});
	context.openPages.accountChanged(device.account_id);
	return { device: shownDevice(device), token };
}

export const notPaired = () =>
	unauthorized('Unauthorized', 'This phone is not paired, or was disconnected. Pair it again.');

/**
 * Finds the device with this token.
 * @throws Refusal `unauthorized` for an unknown token or a disconnected device
 */
export async function requireDeviceByToken(context: Context, token: string): Promise<Device> {
	const tokenHash = hashSecret(token);
	const [device] = await activeDeviceByTokenHash(context.database.read, { tokenHash });
	if (!device) throw notPaired();
	context.lastUsed.note(device.id, device.last_seen_at, (db, now) =>
		updateDevice(db, device.id, { last_seen_at: now }),
	);
	return device;
}

/** Unpairs the phone at its user's request, which invalidates its token. */
export async function disconnect(context: Context, device: Device) {
	const actor = { ...device, kind: 'phone' as const };
	await context.database.write(device.account_id, async (db) => {
		await markDisconnected(db, device.id);
		await record(db, { ...context, actor }, device.account_id, 'phone_disconnected', device.name);
	});
	context.openPages.inboxChanged(device.id);
}

export async function isPaired(context: Context, device: Device): Promise<boolean> {
	const [row] = await statusOfDevice(context.database.read, { id: device.id });
	return row?.status === 'active';
}
