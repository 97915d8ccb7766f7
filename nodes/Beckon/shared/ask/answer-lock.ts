import type { IWebhookFunctions } from 'n8n-workflow';

import { calledRound } from './question-number';

/**
 * Milliseconds. n8n 1 starts the rest of the workflow some time after the webhook has returned. Until
 * then it passes on every further tap as if nobody had answered.
 */
const TAKEN_FOR = 10_000;

/**
 * When each answered question's mark expires, by question, oldest first. It covers one process: if
 * several processes take webhooks, two taps can reach different ones. The Beckon server then keeps
 * the second tap away, because it calls one button of a message at a time.
 */
const endsOfMarks = new Map<string, number>();

/** Each node numbers its own questions. */
const toKey = (context: IWebhookFunctions) =>
	JSON.stringify([context.getExecutionId(), context.getNode().name, calledRound(context)]);

function forgetEnded(now: number): void {
	for (const [key, endsAt] of endsOfMarks) {
		if (endsAt > now) return;
		endsOfMarks.delete(key);
	}
}

/** True if the called URL's question has just been answered. */
export function isTaken(context: IWebhookFunctions): boolean {
	forgetEnded(Date.now());
	return endsOfMarks.has(toKey(context));
}

/** Marks the question of the called URL as answered. The mark outlasts n8n's delay in resuming. */
export function take(context: IWebhookFunctions): void {
	endsOfMarks.set(toKey(context), Date.now() + TAKEN_FOR);
}
