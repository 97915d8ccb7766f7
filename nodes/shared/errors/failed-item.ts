import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

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
	const { onError, retryOnFail } = context.getNode();
	// On the error output, n8n adds the input's fields only to an item whose error is just json. Such
	// json makes "Retry On Fail" repeat all items, and so resend those that have arrived. With it, n8n
	// is left to fill in the message.
	return onError === 'continueErrorOutput' && !retryOnFail
		? { json: { error: error.message }, pairedItem }
		: { json: {}, error, pairedItem };
}
