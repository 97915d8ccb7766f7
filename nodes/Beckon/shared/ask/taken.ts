import type { IWebhookFunctions } from 'n8n-workflow';

import { calledRound } from './round';

/**
 * The questions whose answer is being taken. n8n keeps an execution waiting until the webhook has
 * returned, and would let it go on with a second answer that comes meanwhile. This covers one process:
 * where several take webhooks, two taps can still reach different ones.
 */
const taken = new Set<string>();

const keyOf = (context: IWebhookFunctions) =>
	JSON.stringify([context.getExecutionId(), calledRound(context)]);

/** Whether an answer to the question of the called URL is being taken. */
export function isBeingTaken(context: IWebhookFunctions): boolean {
	return taken.has(keyOf(context));
}

/** Does what takes time before n8n is given the answer; no other answer is taken meanwhile. */
export async function whileTaking(
	context: IWebhookFunctions,
	work: () => Promise<void>,
): Promise<void> {
	const key = keyOf(context);
	taken.add(key);
	try {
		await work();
	} finally {
		taken.delete(key);
	}
}
