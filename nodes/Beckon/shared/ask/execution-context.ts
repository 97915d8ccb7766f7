import type { IWebhookFunctions } from 'n8n-workflow';

/**
 * A value that the node kept in its context, which n8n stores with the execution. A webhook can read
 * the context only through an expression. Undefined if nothing was kept, or if n8n does not say.
 */
export function keptIn(context: IWebhookFunctions, name: string): unknown {
	const node = JSON.stringify(context.getNode().name);
	try {
		return context.evaluateExpression(`{{ $node[${node}].context["${name}"] }}`);
	} catch (error) {
		context.logger.debug('What was kept of the question is not known', {
			name,
			reason: error instanceof Error ? error.message : String(error),
		});
		return undefined;
	}
}
