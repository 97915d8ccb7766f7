import type {
	TapsDoneRequest,
	TriggerRequest,
	TriggerResponse,
	TriggerTap,
	TriggerTapsQuery,
	TriggerTapsResponse,
} from '../../contract/triggers.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { Db, TriggerRow } from '../../store/schema.ts';
import {
	countTriggers,
	findTrigger,
	finishTaps,
	deleteDoneTaps,
	insertTrigger,
	tapsAfter,
	updateTrigger,
} from '../../store/triggers.ts';
import { keyName, scopeOfKey, toSlugs } from '../../store/keys-and-channels/api-keys.ts';
import { record } from '../audit.ts';
import type { Caller, Context } from '../context.ts';
import { areWithin, requireShare, requireSameKey } from '../keys-and-channels/key-scope.ts';
import { conflict, invalidRequest, notFound } from '../refusal.ts';
import { settleTap } from './taps.ts';
import { type AnyAction, triggerOf } from '../shown/buttons.ts';

/** Maximum triggers of an account. */
const MAX_TRIGGERS = 1_000;

/** Milliseconds without a request after which a listener counts as gone. */
const LISTENER_TIMEOUT_MS = 30_000;

/** Milliseconds for which a finished tap is kept, for tests, which get copies. */
const COPY_MS = MINUTE_MS;

/** True for keys without channel limits, and for the key that listens. */
const mayName = ({ keyId, channels }: Caller, { api_key_id: id }: TriggerRow) =>
	channels === null || id === keyId;

/** @throws Refusal `not_found` */
async function requireTrigger(db: Db, caller: Caller, id: string): Promise<TriggerRow> {
	const trigger = await findTrigger(db, caller.accountId, id);
	if (trigger && mayName(caller, trigger)) return trigger;
	throw notFound(
		'Trigger not found',
		'There is no trigger with this id, or another key listens to it. A trigger is deleted after 30 days without a listener; register it again.',
	);
}

/**
 * PUT /triggers/{trigger_id}: from now on the session gets the trigger's taps, in place of an earlier session; a test
 * only gets the number of the last tap, after which it listens.
 * @throws Refusal `not_found` if the trigger is another key's, or TooManyRequests for an account with too many
 */
export async function registerTrigger(
	context: Context,
	caller: Caller,
	id: string,
	{ name, session, test }: TriggerRequest,
): Promise<TriggerResponse> {
	const { accountId, keyId } = caller;
	const { database, triggerWaits } = context;
	const last = await database.write(accountId, async (db) => {
		const now = context.now();
		const until = now + LISTENER_TIMEOUT_MS;
		const heard = test ? { tested_until: until } : { session, listens_until: until };
		const change = { ...heard, name, api_key_id: keyId, registered_at: now };
		const existing = await findTrigger(db, accountId, id);
		const ownerId = existing?.api_key_id ?? null;
		const owner = ownerId === null ? undefined : await scopeOfKey(db, ownerId);
		const isOwnerRevoked = owner !== undefined && owner.revoked_at !== null;
		// A key succeeds a revoked one only if it reaches every channel that the revoked one did.
		if (existing && !(isOwnerRevoked && areWithin(toSlugs(owner), caller.channels)))
			await requireTrigger(db, caller, id);
		if (!existing || (isOwnerRevoked && !test))
			requireShare(caller, await countTriggers(db, accountId), {
				most: MAX_TRIGGERS,
				of: 'triggers',
				advice: 'Triggers without a listener are deleted after 30 days.',
			});
		if (existing) {
			await updateTrigger(db, accountId, id, test ? heard : change);
			return existing.taps;
		}
		const fresh = { account_id: accountId, id, session: null, listens_until: 0, tested_until: 0 };
		await insertTrigger(db, { ...fresh, taps: 0, ...change });
		const actor = { kind: 'key' as const, name: await keyName(db, keyId) };
		await record(db, { ...context, actor }, accountId, 'trigger_registered', name);
		return 0;
	});
	// Ends the waiting request of an earlier session.
	triggerWaits.changed(id);
	return { success: true, last };
}

/**
 * GET /triggers/{trigger_id}/taps: the unfinished taps; with `wait`, once there is one or the time is up.
 * @param gone aborted when the client has hung up
 * @throws Refusal `not_found`, `unauthorized` for a key revoked meanwhile, `conflict` for an older session while the
 *         newest listens
 */
export async function awaitTaps(
	context: Context,
	caller: Caller,
	id: string,
	query: TriggerTapsQuery,
	gone: AbortSignal,
): Promise<TriggerTapsResponse> {
	const { session, test, wait, after, limit } = query;
	const isDone = test !== undefined;
	await extendListening(context, caller, id, query);
	const look = async () => {
		const db = context.database.read;
		await requireSameKey(db, caller);
		const trigger = await requireTrigger(db, caller, id);
		if (session !== undefined && trigger.session !== session) throw superseded();
		const rows = await tapsAfter(db, trigger, { after, limit, isDone });
		const taps = rows.map(({ tap_json: tap }) => JSON.parse(tap) as TriggerTap);
		return { found: { success: true as const, taps }, isEnd: taps.length > 0 };
	};
	if (wait === 0) return (await look()).found;
	const ids = [id, caller.keyId ?? caller.accountId];
	const waiting = { key: `${caller.accountId} ${id}`, ids, milliseconds: wait * 1_000, gone };
	return context.triggerWaits.until(waiting, look);
}

const superseded = () =>
	conflict(
		'Superseded',
		'A newer session listens to this trigger, such as another n8n with the same workflow.',
	);

/**
 * Records until when the session or test listens. A session takes over when no other listens anymore.
 * @throws Refusal `not_found`, or `conflict` while another session listens
 */
async function extendListening(
	{ database, now: clock }: Context,
	caller: Caller,
	id: string,
	{ session, wait }: TriggerTapsQuery,
) {
	const now = clock();
	const until = now + wait * 1_000 + LISTENER_TIMEOUT_MS;
	const change = (trigger: TriggerRow): Partial<TriggerRow> | undefined => {
		if (session === undefined) return { tested_until: until };
		const isOwn = trigger.session === session;
		if (!isOwn && trigger.session !== null && trigger.listens_until > now) throw superseded();
		// Requests in quick succession do not each cause a write.
		const isNoted = isOwn && trigger.listens_until > now + wait * 1_000;
		return isNoted ? undefined : { session, listens_until: until };
	};
	if (!change(await requireTrigger(database.read, caller, id))) return;
	await database.write(caller.accountId, async (db) => {
		const trigger = await requireTrigger(db, caller, id);
		await updateTrigger(db, caller.accountId, id, change(trigger) ?? {});
	});
}

/**
 * POST /triggers/{trigger_id}/done: forgets taps, whichever session got them, and ends the session. From a test,
 * it changes nothing while there is a session.
 * @throws Refusal `not_found`
 */
export async function tapsDone(
	context: Context,
	caller: Caller,
	id: string,
	{ taps, end_session: ended, test }: TapsDoneRequest,
): Promise<{ success: true }> {
	const { accountId } = caller;
	const deliveries = await context.database.write(accountId, async (db) => {
		const trigger = await requireTrigger(db, caller, id);
		if (test && trigger.session !== null) return [];
		if (ended !== undefined && ended === trigger.session)
			await updateTrigger(db, accountId, id, { session: null, listens_until: 0 });
		await deleteDoneTaps(db, trigger, context.now() - COPY_MS);
		const changes = [];
		for (const row of await finishTaps(db, trigger, taps))
			if (row.is_waiting === 1)
				changes.push(...(await settleTap(db, context, row, trigger.name, { isTaken: true })));
		return changes;
	});
	void context.outbox.deliverNow(deliveries);
	return { success: true };
}

/**
 * @param actions the buttons of a request, by their path in it
 * @throws Refusal `invalid` for the trigger of another account or key, or one that was forgotten
 */
export async function requireTriggersKnown(
	{ database }: Context,
	caller: Caller,
	actions: Record<string, AnyAction | undefined>,
) {
	const issues = [];
	for (const [path, action] of Object.entries(actions)) {
		const named = action && triggerOf(action);
		if (!named) continue;
		const trigger = await findTrigger(database.read, caller.accountId, named.id);
		if (trigger && mayName(caller, trigger)) continue;
		issues.push({
			path: `${path}.url`,
			message: 'names a trigger that is unknown here, or that this key may not start',
		});
	}
	if (issues.length > 0) throw invalidRequest(issues, 'Invalid action');
}
