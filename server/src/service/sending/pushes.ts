import type { PushRequest, PushResponse } from '../../contract/push.ts';
import type { RepeatedPushRequest, RepeatedPushResponse } from '../../contract/repeats.ts';
import { reachedBy } from './audience.ts';
import { assertWebhooksAllowed } from '../shown/buttons.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { onBoard } from './on-board.ts';
import { type AcceptedMessage, attempt, countNotified } from './outgoing.ts';
import { decidePush, type PushInput } from './push-decision.ts';

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
	return answerTo(context, await storePush(context, { caller, request }));
}

/**
 * POST /push-notification/repeated: a push that is delivered again until someone reacts
 * (docs/api-decisions.md "Beckon's additions").
 * @throws Refusal like `sendPush`
 */
export async function sendRepeatedPush(
	context: Context,
	caller: Caller,
	{ push: request, repeat }: RepeatedPushRequest,
): Promise<RepeatedPushResponse> {
	assertButtonsAllowed(context, request, 'push.');
	const push = await storePush(context, { caller, request, repeat });
	if (!push.repeat) throw new Error('A repeated push has no repeat');
	return { ...(await answerTo(context, push)), repeat_id: push.repeat.id };
}

function storePush(context: Context, asked: PushInput): Promise<AcceptedMessage> {
	const { caller, request } = asked;
	return onBoard(context, reachedBy(caller, request.target?.channels), (board) =>
		board.send(decidePush(board.senders.get(caller.accountId), asked, board)),
	);
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
async function answerTo(context: Context, push: AcceptedMessage): Promise<PushResponse> {
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
