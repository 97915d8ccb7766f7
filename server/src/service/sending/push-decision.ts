import { MINUTE_MS } from '../../durations.ts';
import type { Notification } from '../../contract/shown.ts';
import type { PushRequest } from '../../contract/push.ts';
import type { QuestionRequest } from '../../contract/questions.ts';
import type { RepeatedPushRequest } from '../../contract/repeats.ts';
import { type RepeatRow, toJson } from '../../store/schema.ts';
import { requireRecipients, decideAudience } from './audience.ts';
import type { Board } from './board.ts';
import { shownButton } from '../shown/buttons.ts';
import type { Caller, ServiceSettings } from '../context.ts';
import { readImageHash } from '../images/images.ts';
import { decideQuestion } from '../questions/decisions.ts';
import { questionLane } from '../questions/question.ts';
import { pushUrgency } from '../quiet/rules.ts';
import { newRepeatId } from '../secrets.ts';
import { type AcceptedMessage, newEntry, toMessage, toOutgoing } from './outgoing.ts';
import { toSequence } from './sequences.ts';
import { countSend, requireSendingAccount, type SendingAccount, withBadges } from './account.ts';

export interface PushInput {
	caller: Caller;
	request: PushRequest;
	/** How often it is delivered again until someone reacts. */
	repeat?: RepeatedPushRequest['repeat'];
	/** The question that it asks. */
	question?: QuestionRequest;
	/** Identifies its sequence: the push replaces the last one with the same id and target. */
	sequenceId?: string | undefined;
	/** Seconds until it expires. */
	ttl?: number | undefined;
	/** For a resent push: the ids of the phones it is limited to. */
	among?: ReadonlySet<string> | undefined;
}

function toRepeat(accountId: string, repeat: RepeatedPushRequest['repeat'], now: number) {
	const { every_minutes: minutes, times } = repeat;
	const everyMs = minutes * MINUTE_MS;
	return {
		id: newRepeatId(),
		account_id: accountId,
		message_id: 0,
		every_ms: everyMs,
		times_left: times,
		next_at: now + everyMs,
		ended_at: null,
		end_reason: null,
	} satisfies RepeatRow;
}

/** A push as the phone receives it. */
export function shownNotification(request: PushRequest): Notification {
	const { metadata: _metadata, target: _target, actions, ...shown } = request;
	return {
		...shown,
		...(actions?.length && { actions: actions.map((action) => shownButton(action)) }),
	};
}

/**
 * Decides a push based on the account as earlier pushes of the set left it, and updates the account's count and badges for
 * later ones.
 * @param sender undefined when the account no longer exists
 * @param options `board` is needed for a question
 * @throws Refusal `unauthorized`, `billing`, `invalid`, `forbidden` or `no_recipients`; the board is
 *         then unchanged
 */
export function decidePush(
	sender: SendingAccount | undefined,
	{ caller, request, repeat, question, sequenceId, ttl, among }: PushInput,
	{ settings, now, board }: { settings: ServiceSettings; now: number; board?: Board },
): AcceptedMessage {
	const account = requireSendingAccount(sender, { settings, now });
	const { actions = [], badge, tags, metadata, title } = request;
	const path = repeat ? 'push.target.channels' : 'target.channels';
	const { channels } = request.target ?? {};
	// When a push is sent again, some of its channels may have been deleted.
	const named = among ? channels?.filter((slug) => account.channels.has(slug)) : channels;
	const reached = decideAudience(account, caller, named, path);
	const devices = reached.devices.filter((device) => among?.has(device.id) ?? true);
	const audience = { ...reached, devices };
	requireRecipients(audience);
	const { slugs } = audience;
	const entry = { ...newEntry('push', caller, now), title, channels: slugs, tags, metadata };
	const { id } = entry;
	const { asked, onActivity = [] } =
		question && board ? decideQuestion(board, account, { caller, question, audience, id }) : {};
	const isOnActivity = onActivity.length > 0;
	// Starting the Live Activity has counted already.
	if (!isOnActivity) countSend(account);
	if (badge !== undefined) for (const { id } of audience.devices) account.badges.set(id, badge);
	const sequence = sequenceId === undefined ? undefined : toSequence(caller, slugs, sequenceId);
	const shown = {
		...shownNotification(request),
		...(slugs && { channels: slugs }),
		// People approve a text exactly as sent: Markdown hides link definitions, titles and more.
		...(caller.isMarkdown && !asked && { markdown: true as const }),
		...(asked && { question: asked.shown }),
		...(sequence !== undefined && { sequence_id: sequence }),
	};
	const message = toMessage(entry, {
		content_json: JSON.stringify(shown),
		actions_json: actions.length > 0 ? toJson(actions) : null,
		...(ttl !== undefined && { expires_at: now + ttl * 1_000 }),
		...(asked && { lane: questionLane(id) }),
	});
	const badged = withBadges(account, devices);
	const urgency = pushUrgency(shown);
	return {
		...toOutgoing(message, { ...audience, devices: badged, urgency, isOnActivity }),
		entry,
		audience,
		imageHash: readImageHash(settings, request.media),
		...(repeat && { repeat: toRepeat(caller.accountId, repeat, now) }),
		...(asked && { asked, onActivity }),
		...(sequence !== undefined && { sequence }),
	};
}
