import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

/**
 * In a loop one node asks several times in one execution, always with the same URL. So each question
 * has a number, which the signed URL names: a button of an earlier one must not answer a later one.
 */
const ROUND = 'round';

/** The number of the question that is asked now; stored with the execution. */
export function askedIn(context: IExecuteFunctions): number {
	const memory = context.getContext('node');
	const round = Number(memory[ROUND] ?? 0) + 1;
	memory[ROUND] = round;
	return round;
}

/** Whether the called URL belongs to the question that the execution waits for. */
export function isCurrentRound(context: IWebhookFunctions): boolean {
	const called = (context.getQueryData() as Record<string, unknown>)[ROUND];
	const asked = waitedForIn(context);
	return asked === undefined || Number(called) === asked;
}

/** Undefined where n8n does not tell: the URL is signed all the same. */
function waitedForIn(context: IWebhookFunctions): number | undefined {
	const name = JSON.stringify(context.getNode().name);
	try {
		const asked = context.evaluateExpression(`{{ $node[${name}].context["${ROUND}"] }}`);
		return typeof asked === 'number' ? asked : undefined;
	} catch (error) {
		context.logger.debug('The number of the question is not known', {
			reason: error instanceof Error ? error.message : String(error),
		});
		return undefined;
	}
}
