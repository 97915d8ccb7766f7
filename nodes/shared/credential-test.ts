import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { trimmed, type Access } from '../../src/rules/transport';
import { isUnknownPath } from './errors/advice';
import { refusalIn, type Answer } from '../../src/rules/answer';
import { connectionFailure, UNKNOWN_OUTCOME } from '../../src/n8n/connection-failure';
import { explainForeign, explainRefusal } from './errors/explanation';

/** A stream that does not exist, so ending it reaches no phone. */
const NO_STREAM = 'n8n-credential-test-3f9c1d7ae5b84260';

/** Milliseconds; someone is waiting at the dialog. */
const TIMEOUT = 10_000;

const TRY_AGAIN = 'Check the Base URL, or try again later.';

/** The response of n8n's older request helper, the only one available to a credential test. */
interface LegacyResponse {
	statusCode: number;
	headers: Answer['headers'];
	body: unknown;
}

/**
 * Tests a Beckon API credential, with the same messages as the node's own errors. It tries to end a
 * nonexistent stream: the right answer is a 404 in the service's form, which only a valid key gets.
 * A declared test request could not explain a missing answer: n8n would show only the code.
 */
export async function testAccess(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { baseUrl, apiKey } = trimmed(data as unknown as Access);
	const { request } = this.helpers;
	try {
		const { statusCode, headers, body } = (await request({
			method: 'DELETE',
			uri: `${baseUrl}/live-activity/stream/${NO_STREAM}`,
			headers: { authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: TIMEOUT,
		})) as LegacyResponse;
		return toResult({ status: statusCode, headers, body });
	} catch (error) {
		const failure = connectionFailure(error, baseUrl);
		return failure
			? failed(failure.message, failure.advice)
			: failed(errorMessage(error), TRY_AGAIN);
	}
}

function toResult(answer: Answer): INodeCredentialTestResult {
	const refusal = refusalIn(answer);
	if (answer.status === 404 && refusal && !isUnknownPath(refusal)) {
		return { status: 'OK', message: 'Connection successful!' };
	}
	// Of the service's other answers, only these can occur for this request.
	const isOfBeckon = [401, 429].includes(answer.status) || answer.status >= 500;
	const { message, description } = isOfBeckon ? explainRefusal(answer) : explainForeign(answer);
	return failed(message, description);
}

function failed(message: string, advice: string): INodeCredentialTestResult {
	const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
	// The test reaches no phone, so there is nothing to look at there.
	const next = advice === UNKNOWN_OUTCOME ? TRY_AGAIN : advice;
	return { status: 'Error', message: `${sentence} ${next}` };
}

const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
