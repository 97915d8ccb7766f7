import type { TapResponse } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import type { TapRow } from '../../store/schema.ts';
import { type ChoiceButton, type StoredAction, triggerOf } from '../shown/buttons.ts';
import { notFound } from '../refusal.ts';
import type { Started } from '../triggers/tap.ts';
import { alreadyAnswered, ENDED } from './words.ts';

/** Everything known about a tap, read in one transaction. */
interface TapSituation {
	/** An earlier report of this device with the same id. */
	earlier: TapRow | undefined;
	/** The button as currently configured by the sender; undefined: the phone shows no such button. */
	button: StoredAction | undefined;
	/** The last answer accepted by the webhook. */
	answer: Answer | undefined;
	/** True while another tap on the same push or Live Activity is being handled, here or on another server. */
	isUnderWay: boolean;
}

/** The way a tap is handled. */
export type TapDecision =
	| { kind: 'repeat'; earlier: TapRow }
	| { kind: 'answer'; button: string; response: TapResponse; started?: Started }
	| { kind: 'wait' }
	| { kind: 'choose'; button: ChoiceButton }
	| { kind: 'call'; button: StoredAction }
	/** A trigger takes it, in the write that records it. */
	| { kind: 'start'; button: StoredAction };

/**
 * Decides how to handle a tap (docs/api-decisions.md "Webhooks"): a question has one answer, and its
 * webhooks are called one at a time.
 * @throws Refusal `not_found` when the device shows no such button
 */
export function decideTap({ earlier, button, answer, isUnderWay }: TapSituation): TapDecision {
	if (earlier) return { kind: 'repeat', earlier };
	if (!button)
		throw notFound('Button not found', 'This phone does not show this button, or no longer does.');
	const { title } = button;
	if (button.type === 'open_url') {
		const response = { outcome: 'open' as const, url: button.url, message: 'Open this URL.' };
		return { kind: 'answer', button: title, response };
	}
	// The question decides whether it is still open.
	if (button.type === 'choice') return { kind: 'choose', button };
	const closing = answer?.final ? answer : button.first;
	if (closing) {
		const message = alreadyAnswered(closing);
		const response = { outcome: 'refused' as const, message, answer: closing };
		return { kind: 'answer', button: title, response };
	}
	if (button.closed)
		return { kind: 'answer', button: title, response: { outcome: 'refused', message: ENDED } };
	if (isUnderWay) return { kind: 'wait' };
	return { kind: triggerOf(button) ? 'start' : 'call', button };
}
