import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { trimmed, type Access } from '../../src/rules/transport';
import { isSuccess, type Answer } from '../../src/rules/answer';
import { connectionFailure, UNKNOWN_OUTCOME } from '../../src/n8n/connection-failure';
import { explainForeign, explainRefusal } from './errors/explanation';
import { asSentence } from './fields/issues';

/** Milliseconds; someone is waiting at the dialog. */
const TIMEOUT_MS = 10_000;

const TRY_AGAIN = 'Check the Base URL, or try again later.';

/**
 * Tests a Beckon API credential, with the same messages as the node's own errors. It lists channels, which every key
 * may do: this reaches no phone, and is never recorded as a refused request.
 * A declared test request could not explain a missing answer: n8n would show only the code.
 */
export async function testAccess(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { baseUrl, apiKey } = trimmed(data as unknown as Access);
	// n8n's older request helper, the only one available to a credential test.
	const { request } = this.helpers;
	try {
		const { statusCode, headers, body } = (await request({
			uri: `${baseUrl}/channels`,
			headers: { authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: TIMEOUT_MS,
		})) as IN8nHttpFullResponse;
		return toResult({ status: statusCode, headers, body });
	} catch (error) {
		const failure = connectionFailure(error, baseUrl);
		return failure
			? failed(failure.message, failure.advice)
			: failed(error instanceof Error ? error.message : String(error), TRY_AGAIN);
	}
}

function toResult(answer: Answer): INodeCredentialTestResult {
	if (isSuccess(answer)) return { status: 'OK', message: 'Connection successful!' };
	// Of the service's other answers, only these can occur for this request.
	const isOfBeckon = [401, 429].includes(answer.status) || answer.status >= 500;
	const { message, description } = isOfBeckon ? explainRefusal(answer) : explainForeign(answer);
	return failed(message, description);
}

function failed(message: string, advice: string): INodeCredentialTestResult {
	// The test reaches no phone, so there is nothing to look at there.
	const next = advice === UNKNOWN_OUTCOME ? TRY_AGAIN : advice;
	return { status: 'Error', message: `${asSentence(message)} ${next}` };
}
