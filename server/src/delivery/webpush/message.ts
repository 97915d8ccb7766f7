import type { OutgoingDelivery } from '../../store/outbox.ts';
import { cutList, cutText, drop, fitted, type Step } from '../fit.ts';
import { type Content, shownDelivery } from '../shown.ts';

/**
 * Largest text that every push service takes: 4,096 bytes (RFC 8030 section 7.2) less the header,
 * the padding delimiter and the tag of aes128gcm (RFC 8188).
 */
export const MAX_TEXT_BYTES = 3_993;

/** How long a push service keeps a message for a browser that is off, in seconds. */
const KEEP_SECONDS = 3 * 24 * 60 * 60;
const ACTIVITY_SECONDS = 8 * 60 * 60;

const URGENCY = {
	passive: 'low',
	active: 'normal',
	'time-sensitive': 'high',
	critical: 'high',
} as const;

/** TTL, Urgency and Topic of RFC 8030 sections 5.2 to 5.4. */
export interface PushHeaders extends Record<string, string> {
	ttl: string;
	urgency: string;
	topic: string;
}

/** A newer message of the same topic replaces one that the push service still keeps. */
export function headersOf(delivery: OutgoingDelivery, content: Content): PushHeaders {
	switch (content.kind) {
		case 'push':
			return {
				ttl: String(KEEP_SECONDS),
				urgency: URGENCY[content.push.interruption_level],
				topic: `delivery-${delivery.id}`,
			};
		case 'badge':
			return { ttl: String(KEEP_SECONDS), urgency: 'low', topic: 'badge' };
		default:
			return {
				ttl: String(ACTIVITY_SECONDS),
				urgency: content.kind === 'activity_update' && !content.alert ? 'low' : 'normal',
				// 32 characters of base64url, the most that a topic may have.
				topic: content.activity.activity_id.slice(0, 32),
			};
	}
}

/**
 * The delivery as the device protocol has it, in at most `maxBytes` of JSON; what had to be cut is
 * marked by `truncated`, and the inbox has the whole.
 */
export function textOf({ id, message, currentBadge }: OutgoingDelivery, maxBytes: number): string {
	const shown: ReturnType<typeof shownDelivery> & { truncated?: true } = shownDelivery(id, message);
	if (shown.kind === 'push' && shown.push.badge !== undefined)
		shown.push.badge = currentBadge ?? shown.push.badge;
	return fitted(shown, maxBytes, () => (shown.truncated = true), stepsFor(shown));
}

function stepsFor(shown: Content): Step[] {
	if (shown.kind === 'badge') return [];
	if (shown.kind === 'push') {
		const { push } = shown;
		return [
			cutText(push, 'message'),
			cutText(push, 'subtitle'),
			drop(push, 'payload', 'tags', 'icon', 'actions', 'redirection', 'media'),
			cutText(push, 'title', { kept: true }),
		];
	}
	const { activity, alert } = shown;
	const { content_state: state } = activity;
	return [
		cutText(state, 'message', { kept: true }),
		cutText(alert, 'body'),
		cutList(state, 'metrics'),
		drop(state, 'step_colors'),
		cutText(state, 'subtitle'),
		drop(activity, 'secondary_action', 'action'),
		drop(state, 'badge', 'icon'),
		cutText(alert, 'title'),
		cutText(state, 'title', { kept: true }),
	];
}
