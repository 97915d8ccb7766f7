import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Answer } from './answer';
import type { BeckonRequest } from './call';
import { REQUEST_DEFAULTS } from './request-defaults';

/** The sender of a request: an operation, the webhook of a question, or the editor. */
export type SendingContext = IExecuteFunctions | IWebhookFunctions | ILoadOptionsFunctions;

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
	{ method, path, body, contentType }: BeckonRequest,
	{ baseUrl, timeout = DEFAULT_TIMEOUT, skipSslCertificateValidation, proxy }: SendOptions,
): Promise<Answer> {
	const request: IHttpRequestOptions = {
		...REQUEST_DEFAULTS,
		baseURL: baseUrl,
		url: path,
		method,
		...(body && { body }),
		...(contentType !== undefined && { headers: { 'content-type': contentType } }),
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
