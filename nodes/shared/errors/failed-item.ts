import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asSentence } from '../fields/issues';
import type { NodeFailure } from './errors';

/**
 * The output of a failed item if the node continues, paired with its input like a success. It has no `error` of its
 * own: n8n would reduce the json to the message, and on the error output leave out the input's fields. If it is the
 * first, "Retry On Fail" runs all items again, which sends nothing twice (once-only.ts).
 * @throws the error if the node does not continue
 */
export function failedItem(
	context: IExecuteFunctions,
	error: NodeFailure,
	itemIndex: number,
): INodeExecutionData {
	if (!context.continueOnFail()) throw error;
	const whole = [asSentence(error.message), error.description ?? ''].join(' ').trim();
	return { json: { error: whole }, pairedItem: { item: itemIndex } };
}
