import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Answer } from './answer';
import type { BeckonCall } from './call';

/** Where an operation runs that the declarative engine does not send for. */
export type SendingContext = IExecuteFunctions | IWebhookFunctions;

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
	{ baseUrl, timeout, skipSslCertificateValidation, proxy }: SendOptions,
): Promise<Answer> {
	const request: IHttpRequestOptions = {
		baseURL: baseUrl,
		url: path,
		method,
		body,
		json: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		...(timeout !== undefined && { timeout }),
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
