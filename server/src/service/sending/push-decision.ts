import type { Notification } from '../../contract/shown.ts';
import type { PushRequest } from '../../contract/push.ts';
import { toJson } from '../../store/json.ts';
import { assertRecipients, type Audience, decideAudience } from '../audience.ts';
import { accountGone, requireMaySend } from '../billing.ts';
import { shownButton } from '../buttons.ts';
import type { Caller, ServiceSettings } from '../context.ts';
import { newHistoryId } from '../secrets.ts';
import { type Outgoing, toOutgoing } from './outgoing.ts';
import type { Sender } from './sender.ts';

export interface PushAsked {
	caller: Caller;
	request: PushRequest;
}

export interface DecidedPush extends Outgoing {
	audience: Audience;
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
 * Decides a push on the account as left by earlier pushes of the set, and updates count and badge for the
 * later ones.
 * @param sender undefined when the account no longer exists
 * @throws Refusal `unauthorized`, `billing`, `invalid`, `forbidden` or `no_recipients`; `sender` is then
 *         unchanged
 */
export function decidePush(
	sender: Sender | undefined,
	{ caller, request }: PushAsked,
	{ settings, now }: { settings: ServiceSettings; now: number },
): DecidedPush {
	if (!sender) throw accountGone();
	const { actions = [], badge, tags, metadata, title } = request;
	requireMaySend(settings, sender.account, sender.sends, now);
	const audience = decideAudience(sender, caller, request.target?.channels);
	assertRecipients(audience);
	sender.sends += 1;
	sender.newSends += 1;
	if (badge !== undefined) for (const { id } of audience.devices) sender.badges.set(id, badge);
	const entry = {
		id: newHistoryId(now),
		account_id: caller.accountId,
		api_key_id: caller.keyId,
		kind: 'push' as const,
		title,
		channels: audience.slugs,
		tags,
		metadata,
		created_at: now,
	};
	const message = {
		kind: 'push' as const,
		content_json: JSON.stringify(shownNotification(request)),
		actions_json: actions.length > 0 ? toJson(actions) : null,
	};
	return { ...toOutgoing(sender, entry, message, audience), audience };
}
