import type { IExecuteFunctions, IExecuteSingleFunctions, IWebhookFunctions } from 'n8n-workflow';

import { keptIn } from './execution-context';

/**
 * In a loop, one node asks several times in one execution, always with the same URL. So each question
 * has a number, which the signed URL names: a button of an earlier question must not answer a later
 * one.
 */
const ROUND = 'round';

/** The number of the next question. */
export function nextRound(context: IExecuteFunctions | IExecuteSingleFunctions): number {
	return Number(context.getContext('node')[ROUND] ?? 0) + 1;
}

/** Counts the question; its number is stored with the execution. */
export function countRound(context: IExecuteFunctions): void {
	context.getContext('node')[ROUND] = nextRound(context);
}

/** The question number in the called URL. */
export function calledRound(context: IWebhookFunctions): number {
	return Number((context.getQueryData() as Record<string, unknown>)[ROUND]);
}

/** True if the called URL belongs to the question that the execution waits for. */
export function isCurrentRound(context: IWebhookFunctions): boolean {
	const asked = keptIn(context, ROUND);
	// If n8n does not say, the URL is still signed.
	return typeof asked !== 'number' || calledRound(context) === asked;
}
