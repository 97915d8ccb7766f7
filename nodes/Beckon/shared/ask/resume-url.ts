import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

import { nextRound } from './round';

/** n8n 1 checks the signature of the URL only where the node asks for it; n8n 2 always does. */
type WithSignatureSwitch = { setSignatureValidationRequired?: () => void };

/** What the buttons of the question call that is asked next. */
export function resumeUrlOf(context: IExecuteFunctions | IExecuteSingleFunctions): string {
	(context as WithSignatureSwitch).setSignatureValidationRequired?.();
	return context.getSignedResumeUrl({ round: String(nextRound(context)) });
}
