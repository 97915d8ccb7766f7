import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	INodeTypeDescription,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Answer } from '../rules/answer';
import type { BeckonRequest } from '../rules/call';

/** Settings of every request to the service, by n8n's names: a node declares them as `requestDefaults`. */
export const REQUEST_DEFAULTS = {
	json: true,
	// A redirect would turn a POST into a GET, and could carry the key to another host.
	disableFollowRedirect: true,
	// A refusal is an answer too: it has words for the user.
	ignoreHttpStatusErrors: true,
} as const satisfies INodeTypeDescription['requestDefaults'];

/** The sender of a request: an operation, a trigger, the webhook of a question, or the editor. */
export type SendingContext =
	IExecuteFunctions | ITriggerFunctions | IWebhookFunctions | ILoadOptionsFunctions;

/** Milliseconds, as shown in the panel. A hanging request holds up those for the same thing. */
const DEFAULT_TIMEOUT_MS = 10_000;

export interface SendOptions {
	timeout?: number | undefined;
	skipSslCertificateValidation?: boolean | undefined;
	proxy?: IHttpRequestOptions['proxy'];
	idempotencyKey?: string | undefined;
	/** Ends the request. */
	signal?: AbortSignal | undefined;
}

/** One request, to the address in the credential; every HTTP status is an answer. */
export async function sendOnce(
	context: SendingContext,
	{ method, path, body, contentType, headers }: BeckonRequest,
	options: SendOptions,
): Promise<Answer> {
	const { skipSslCertificateValidation, proxy, idempotencyKey, signal } = options;
	const request: IHttpRequestOptions = {
		...REQUEST_DEFAULTS,
		url: path,
		method,
		...(body && { body }),
		headers: {
			...headers,
			...(contentType !== undefined && { 'content-type': contentType }),
			...(idempotencyKey !== undefined && { 'idempotency-key': `"${idempotencyKey}"` }),
		},
		returnFullResponse: true,
		timeout: options.timeout ?? DEFAULT_TIMEOUT_MS,
		...(skipSslCertificateValidation && { skipSslCertificateValidation }),
		...(proxy && { proxy }),
		...(signal && { abortSignal: signal }),
	};
	const response = (await context.helpers.httpRequestWithAuthentication.call(
		context,
		'beckonApi',
		request,
	)) as IN8nHttpFullResponse;
	return { status: response.statusCode, headers: response.headers, body: response.body };
}
