import { type PushRequest, pushRequest } from '../../contract/push.ts';
import type { Notification } from '../../contract/shown.ts';
import { pushOfEntry } from '../../store/history/lifecycle.ts';
import { type Db, fromJson } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import { notFound, Refusal } from '../refusal.ts';
import { toOpenButton, type StoredAction } from '../shown/buttons.ts';
import { sendPush } from './pushes.ts';
import { loadReceivers } from './stored-pushes.ts';

/** The fields of a request that phones get as they are sent. */
const SHOWN = Object.keys(pushRequest.shape).filter((name) => name !== 'actions');

/**
 * Finds a push in the form in which it was sent, to send it again.
 * @returns `phones`: the ids of those that got it and that it still reaches; `ttl`: the seconds that it had, while it has
 *          not expired; undefined for questions, what the server itself has sent, and everything else
 */
export async function findSentPush(db: Db, accountId: string, id: string) {
	const push = await pushOfEntry(db, accountId, id);
	// Pushes without a request were sent by the server itself: a test push or a summary.
	if (!push || (push.api_key_id === null && push.request_id === null)) return undefined;
	const content = JSON.parse(push.content_json) as Notification;
	if (content.question) return undefined;
	const fields = Object.entries(content).filter(([name]) => SHOWN.includes(name));
	const channels = fromJson<string[]>(push.channels_json);
	const [sent] = await loadReceivers(db, [push.id]);
	return {
		request: {
			...(Object.fromEntries(fields) as unknown as PushRequest),
			actions: fromJson<StoredAction[]>(push.actions_json)?.map(
				toOpenButton,
			) as PushRequest['actions'],
			target: channels && { channels },
			tags: fromJson<string[]>(push.tags_json),
			metadata: fromJson<NonNullable<PushRequest['metadata']>>(push.metadata_json),
		},
		isMarkdown: content.markdown === true,
		ttl: push.expires_at === null ? undefined : (push.expires_at - push.created_at) / 1_000,
		phones: new Set(sent?.devices.map((device) => device.id)),
	};
}

/**
 * Sends a push from the history again, in its original form, to those of its phones that it still reaches. The new push
 * belongs to no sequence and does not repeat.
 * @throws Refusal `not_found` for what cannot be sent again, `no_recipients`, and like `sendPush`
 */
export async function sendAgain(context: Context, caller: Caller, id: string) {
	const sent = await context.database.readInTurn((db) => findSentPush(db, caller.accountId, id));
	if (!sent)
		throw notFound('Push not found', 'There is no such push in the history to send again.');
	const { request, isMarkdown, phones, ttl } = sent;
	if (phones.size === 0)
		throw new Refusal('no_recipients', 'No recipients', 'None of its phones are reached anymore.');
	return sendPush(context, { ...caller, isMarkdown }, request, { among: phones, ttl });
}
