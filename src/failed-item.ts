import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { NodeFailure } from './errors';

/**
 * What an item that failed puts out where the node continues, paired with its input like a success.
 * @throws the error where the node does not continue
 */
export function failedItem(
	context: IExecuteFunctions,
	error: NodeFailure,
	itemIndex: number,
): INodeExecutionData {
	if (!context.continueOnFail()) throw error;
	const pairedItem = { item: itemIndex };
	const { onError, retryOnFail } = context.getNode();
	// On the error output n8n adds the input's fields only to an item whose error is nothing but json.
	// Such json makes "Retry On Fail" repeat all items, and so send again what has arrived: there n8n
	// is left to fill it with the message.
	return onError === 'continueErrorOutput' && !retryOnFail
		? { json: { error: error.message }, pairedItem }
		: { json: {}, error, pairedItem };
}
