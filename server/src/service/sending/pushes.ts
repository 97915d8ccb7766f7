import type { PushRequest, PushResponse } from '../../contract/push.ts';
import type { RepeatedPushRequest, RepeatedPushResponse } from '../../contract/repeats.ts';
import type { Decision } from '../../store/engine/sets.ts';
import { attachImage } from '../../store/images.ts';
import { insertRepeats } from '../../store/outbox/repeats.ts';
import type { Db } from '../../store/schema.ts';
import { reachedBy } from './audience.ts';
import { assertWebhooksAllowed } from '../shown/buttons.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { attempt, countNotified } from './dispatch.ts';
import { storeSendings } from './outgoing.ts';
import { type DecidedPush, decidePush, type PushInput as PushAsked } from './push-decision.ts';
import { loadSendingAccounts as loadSenders } from './account.ts';
import { accepted, decideInTurn, inSets } from './sets.ts';

/**
 * POST /push-notification (docs/api-decisions.md "Recipients and counts").
 * @throws Refusal `invalid`, `billing`, `forbidden` or `no_recipients`, without storing anything
 */
export async function sendPush(
	context: Context,
	caller: Caller,
	request: PushRequest,
): Promise<PushResponse> {
	assertButtonsAllowed(context, request, '');
	return answerTo(context, await storePush(context, caller.accountId, { caller, request }));
}

/**
 * POST /push-notification/repeated: a push that is delivered again until somebody reacts
 * (docs/api-decisions.md "Beckon's additions").
 * @throws Refusal like `sendPush`
 */
export async function sendRepeatedPush(
	context: Context,
	caller: Caller,
	{ push: request, repeat }: RepeatedPushRequest,
): Promise<RepeatedPushResponse> {
	assertButtonsAllowed(context, request, 'push.');
	const push = await storePush(context, caller.accountId, { caller, request, repeat });
	if (!push.repeat) throw new Error('A repeated push has no repeat');
	return { ...(await answerTo(context, push)), repeat_id: push.repeat.id };
}

/** @param prefix of the request's fields in the body */
function assertButtonsAllowed(
	{ settings }: Context,
	{ actions = [] }: PushRequest,
	prefix: string,
): void {
	assertWebhooksAllowed(
		Object.fromEntries(actions.map((action, index) => [`${prefix}actions[${index}]`, action])),
		settings,
	);
}

/** Makes the first attempts, and counts them. */
async function answerTo(context: Context, push: DecidedPush): Promise<PushResponse> {
	const notified = countNotified(push, await attempt(context, [push]));
	const { tags } = push.entry;
	return {
		success: true,
		devices_notified: notified.devices,
		users_notified: notified.users,
		effective_channel_slugs: push.audience.slugs,
		...(tags && { tags: [...tags] }),
		timestamp: isoTime(context.now()),
	};
}

const storePush = inSets<PushAsked, DecidedPush>(storePushes);

async function storePushes(
	db: Db,
	context: Context,
	asked: readonly PushAsked[],
): Promise<Array<Decision<DecidedPush>>> {
	const { settings } = context;
	const now = context.now();
	const senders = await loadSenders(
		db,
		asked.map(({ caller, request }) => reachedBy(caller, request.target?.channels)),
		now,
	);
	const decisions = decideInTurn(
		asked,
		(push) => decidePush(senders.get(push.caller.accountId), push, { settings, now }),
		(push) => [push],
	);
	const pushes = accepted(decisions);
	await storeSendings(db, pushes, senders.values());
	for (const { imageHash, entry } of pushes) {
		if (imageHash === undefined) continue;
		const { id: historyId, account_id: accountId } = entry;
		await attachImage(db, { accountId, pathHash: imageHash, historyId });
	}
	await insertRepeats(
		db,
		pushes.flatMap(({ repeat, message }) =>
			repeat ? [{ ...repeat, message_id: message.id }] : [],
		),
	);
	return decisions;
}
