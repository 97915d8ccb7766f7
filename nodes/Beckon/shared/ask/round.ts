import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

/**
 * In a loop, one node asks several times in one execution, always with the same URL. So each question has a number,
 * which the signed URL names: a late callback of an earlier question must not answer a later one.
 */
export const ROUND = 'round';

/** n8n 1 checks the URL's signature only if the node asks for it; n8n 2 always does. */
type WithSignatureSwitch = { setSignatureValidationRequired?: () => void };

type Context = IExecuteFunctions | IExecuteSingleFunctions;

const nextRound = (context: Context) => Number(context.getContext('node')[ROUND] ?? 0) + 1;

/** The URL that resumes the execution with the answer to its next question. @param query more parameters, signed too */
export function createResumeUrl(context: Context, query?: Record<string, string>): string {
	(context as WithSignatureSwitch).setSignatureValidationRequired?.();
	return context.getSignedResumeUrl({ [ROUND]: String(nextRound(context)), ...query });
}

/** Counts the question; its number is stored with the execution. */
export function countRound(context: IExecuteFunctions): void {
	context.getContext('node')[ROUND] = nextRound(context);
}
