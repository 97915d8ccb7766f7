import { answerWords } from '../../contract/answer-words.ts';
import type { TapResponse } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import type { WebhookResult } from '../../delivery/webhooks.ts';

/** Texts shown after a tap. The server does not know the user's time zone, so times are in UTC. */

export const ENDED = 'This has ended, so its buttons no longer work.';

export const NOT_REACHED =
	'This phone is no longer in the channels that this was sent to, so the tap started nothing.';

export const BUSY =
	'Someone else’s tap is still being processed. Wait a moment, and tap again if nothing changes.';

export const NEVER_KNOWN =
	'This tap was reported before, and its outcome is unknown. Tap again to call the webhook again.';

export const UNKNOWN_TRIGGER =
	'This workflow has not listened for 30 days, or was deleted, so the tap started nothing. Tell the sender.';

export const TOO_MANY_TAPS =
	'Too many taps are waiting for workflows that are not running. Tell the sender, and try again later.';

export const startsNow = (name: string) => `“${name}” is starting.`;

export const waitsForListener = (name: string) =>
	`“${name}” is not running right now. Your tap is kept for a day.`;

export const nothingListened = (name: string) =>
	`“${name}” did not run for a day, so your tap expired.`;

export function alreadyAnswered(answer: Answer): string {
	const time = answer.at.slice(11, 16);
	return `Already answered: ${answerWords(answer, `${time} UTC`)}. This tap changed nothing.`;
}

type TapOutcome = Pick<TapResponse, 'outcome' | 'status' | 'message'>;

/** Uses the webhook's own text, if any. Only 2xx counts as done (RFC 9110 section 15.3). */
export function describeResult(result: WebhookResult): TapOutcome {
	if (result.kind === 'failed') return { outcome: 'failed', message: result.reason };
	const { status, isPage, message } = result;
	if (status < 200 || status >= 300)
		return { outcome: 'failed', status, message: message ?? wordsFor(status) };
	if (!isPage) return { outcome: 'called', status, message: message ?? 'Done.' };
	return {
		outcome: 'unclear',
		status,
		message:
			'The webhook answered with a web page, so it is unclear whether it worked. Check before you tap again.',
	};
}

/** Text for a webhook that returns a status without a message. */
function wordsFor(status: number): string {
	const code = `(status ${status})`;
	switch (status) {
		case 401:
		case 403:
			return `The webhook does not accept this button’s credentials ${code}. Tell the sender.`;
		case 404:
			return `There is no webhook at the button’s address ${code}. The workflow may be switched off or deleted.`;
		case 409:
		case 410:
			return `This has already been answered, or is over ${code}.`;
		case 429:
			return `The webhook is receiving too many calls ${code}. Try again in a minute.`;
		default:
			if (status >= 500) return `The webhook failed ${code}. Try again in a moment.`;
			return status < 400
				? `The webhook has moved ${code}. Tell the sender: the button needs its new address.`
				: `The webhook did not accept the tap ${code}. Tell the sender.`;
	}
}
