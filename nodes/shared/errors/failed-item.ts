import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asSentence } from '../fields/issues';
import type { NodeFailure } from './errors';

/**
 * The output of a failed item if the node continues, paired with its input like a success.
 * @throws the error if the node does not continue
 */
export function failedItem(
	context: IExecuteFunctions,
	error: NodeFailure,
	itemIndex: number,
): INodeExecutionData {
	if (!context.continueOnFail()) throw error;
	const pairedItem = { item: itemIndex };
	// On the error output, n8n adds the input's fields only to an item whose error is just json. If it is
	// the first, "Retry On Fail" runs all items again, which sends nothing twice (once-only.ts).
	if (context.getNode().onError !== 'continueErrorOutput') return { json: {}, error, pairedItem };
	const whole = [asSentence(error.message), error.description ?? ''].join(' ').trim();
	return { json: { error: whole }, pairedItem };
}
