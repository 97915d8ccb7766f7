import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

import { nextRound } from './question-number';

/** n8n 1 checks the URL's signature only if the node asks for it; n8n 2 always does. */
type WithSignatureSwitch = { setSignatureValidationRequired?: () => void };

/** The URL that the buttons of the next question call. */
export function createResumeUrl(context: IExecuteFunctions | IExecuteSingleFunctions): string {
	(context as WithSignatureSwitch).setSignatureValidationRequired?.();
	return context.getSignedResumeUrl({ round: String(nextRound(context)) });
}
