import type { IWebhookFunctions } from 'n8n-workflow';

/**
 * What the node kept in its context, which n8n stores with the execution. A webhook has no access to
 * the context but by an expression. Undefined where nothing was kept, or n8n does not tell.
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
