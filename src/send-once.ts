import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Answer } from './answer';
import type { BeckonCall } from './call';
import { REQUEST_DEFAULTS } from './request-defaults';

/** The sender of a request: an operation, or the webhook of a question. */
export type SendingContext = IExecuteFunctions | IWebhookFunctions;

/** Milliseconds, as shown in the panel. A hanging request holds up those for the same thing. */
const DEFAULT_TIMEOUT = 10_000;

export interface SendOptions {
	baseUrl: string;
	timeout?: number | undefined;
	skipSslCertificateValidation?: boolean | undefined;
	proxy?: IHttpRequestOptions['proxy'];
}

/** One request; every HTTP status is an answer. */
export async function sendOnce(
	context: SendingContext,
	{ method, path, body }: BeckonCall,
	{ baseUrl, timeout = DEFAULT_TIMEOUT, skipSslCertificateValidation, proxy }: SendOptions,
): Promise<Answer> {
	const request: IHttpRequestOptions = {
		...REQUEST_DEFAULTS,
		baseURL: baseUrl,
		url: path,
		method,
		body,
		returnFullResponse: true,
		timeout,
		...(skipSslCertificateValidation && { skipSslCertificateValidation }),
		...(proxy && { proxy }),
	};
	const response = (await context.helpers.httpRequestWithAuthentication.call(
		context,
		'beckonApi',
		request,
	)) as IN8nHttpFullResponse;
	return { status: response.statusCode, headers: response.headers, body: response.body };
}
