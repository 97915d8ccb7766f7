import type { PushRequest, PushResponse } from '../../contract/push.ts';
import type { Decision } from '../../store/engine/sets.ts';
import type { Db } from '../../store/schema.ts';
import { reachedBy } from './audience.ts';
import { assertWebhooksAllowed } from './buttons.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { attempt, countNotified } from './dispatch.ts';
import { storeSendings } from './outgoing.ts';
import { type DecidedPush, decidePush, type PushAsked } from './push-decision.ts';
import { loadSenders } from './sender.ts';
import { accepted, decision, inSets } from './sets.ts';

/**
 * POST /push-notification (docs/api-decisions.md "Recipients and counts").
 * @throws Refusal `invalid`, `billing`, `forbidden` or `no_recipients`, without storing anything
 */
export async function sendPush(
	context: Context,
	caller: Caller,
	request: PushRequest,
): Promise<PushResponse> {
	const { actions = [], tags } = request;
	assertWebhooksAllowed(
		Object.fromEntries(actions.map((action, index) => [`actions[${index}]`, action])),
		context.settings,
	);
	const push = await storePush(context, caller.accountId, { caller, request });
	const notified = countNotified(push, await attempt(context, [push]));
	return {
		success: true,
		devices_notified: notified.devices,
		users_notified: notified.users,
		effective_channel_slugs: push.audience.slugs,
		...(tags && { tags }),
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
	const decisions = asked.map((push) =>
		decision(() => decidePush(senders.get(push.caller.accountId), push, { settings, now })),
	);
	await storeSendings(db, accepted(decisions), senders.values());
	return decisions;
}
