import type { IExecuteFunctions } from 'n8n-workflow';

import { type BeckonCall, isRepeatable } from '../../../src/rules/call';
import { isUnknown } from '../../../src/rules/repeat';
import { currentRun, isOwnRun } from '../../../src/n8n/run';
import { Refused } from '../errors/errors';

/**
 * Sends the call of an item. n8n's "Retry On Fail" runs all items again: one whose call was answered, or
 * may have arrived, gets the outcome of the earlier try instead.
 */
export async function onceOnly<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	call: BeckonCall,
	send: () => Promise<T>,
): Promise<T> {
	const { settled } = currentRun(context);
	const known = settled.get(itemIndex) as Promise<T> | undefined;
	if (known) return await known;
	const outcome = send();
	const isSettled = await outcome.then(
		() => true,
		(error: unknown) => !isRepeatable(call) && mayHaveArrived(error),
	);
	if (isSettled && context.getNode().retryOnFail && isOwnRun(context)) {
		settled.set(itemIndex, outcome);
	}
	return await outcome;
}

const mayHaveArrived = (error: unknown) =>
	isUnknown(error instanceof Refused ? { answer: error.answer } : { error });
