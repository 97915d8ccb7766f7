import type { Notification } from '../contract/shown.ts';
import type { PushRequest, PushResponse } from '../contract/push.ts';
import { setBadge } from '../store/devices.ts';
import { insertHistory } from '../store/history.ts';
import { toJson } from '../store/json.ts';
import type { Db } from '../store/schema.ts';
import { assertRecipients, type Audience, resolveAudience } from './audience.ts';
import { assertMaySend, recordSend } from './billing.ts';
import { assertWebhooksAllowed, shownButton } from './buttons.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { attempt, countNotified, type Dispatch, storeDispatch } from './dispatch.ts';
import { newHistoryId } from './secrets.ts';

/** What a phone is told of the push. */
export function shownNotification(request: PushRequest): Notification {
	const { metadata: _metadata, target: _target, actions, ...shown } = request;
	return { ...shown, ...(actions?.length && { actions: actions.map(shownButton) }) };
}

/**
 * POST /push-notification (service-api.md section 2).
 * @throws Refusal `invalid`, `billing`, `forbidden` or `no_recipients`; nothing is stored then
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
	const { audience, dispatch } = await context.database.write(
		caller.accountId,
		(db) => storePush(db, context, caller, request),
		// One badge follows upon another.
		{ beside: request.badge === undefined ? 'all' : 'other accounts' },
	);
	const notified = countNotified(dispatch, await attempt(context, [dispatch]));
	return {
		success: true,
		devices_notified: notified.devices,
		users_notified: notified.users,
		effective_channel_slugs: audience.slugs,
		...(tags && { tags }),
		timestamp: isoTime(context.now()),
	};
}

async function storePush(
	db: Db,
	context: Context,
	caller: Caller,
	request: PushRequest,
): Promise<{ audience: Audience; dispatch: Dispatch }> {
	const { actions = [], badge } = request;
	const account = await assertMaySend(db, context, caller.accountId);
	const audience = await resolveAudience(db, caller, request.target?.channels);
	assertRecipients(audience);
	const historyId = newHistoryId(context.now());
	await insertHistory(db, {
		id: historyId,
		account_id: caller.accountId,
		api_key_id: caller.keyId,
		kind: 'push',
		title: request.title,
		channels: audience.slugs,
		tags: request.tags,
		metadata: request.metadata,
		created_at: context.now(),
	});
	if (badge !== undefined) {
		await setBadge(
			db,
			audience.devices.map(({ id }) => id),
			badge,
		);
	}
	const dispatch = await storeDispatch(
		db,
		context,
		{
			account_id: caller.accountId,
			history_id: historyId,
			kind: 'push',
			content_json: JSON.stringify(shownNotification(request)),
			actions_json: actions.length > 0 ? toJson(actions) : null,
		},
		{
			slugs: audience.slugs,
			devices: audience.devices.map((device) =>
				badge === undefined ? device : { ...device, badge },
			),
		},
	);
	await recordSend(db, context, account);
	return { audience, dispatch };
}
