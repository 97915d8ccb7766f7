import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isRateRefusal, isSuccess, type Answer } from './answer';
import type { BeckonCall } from './call';
import { Refused } from './errors';
import { retryAfterSeconds } from './rate-limit-headers';

/** Where an operation runs that the declarative engine does not send for. */
export type SendingContext = IExecuteFunctions | IWebhookFunctions;

export interface SendOptions {
	baseUrl: string;
	/** Milliseconds that the request may wait for its allowance in all. */
	longestWait: number;
	timeout?: number | undefined;
	skipSslCertificateValidation?: boolean | undefined;
	proxy?: IHttpRequestOptions['proxy'];
	/** Whether to give up waiting. */
	isCancelled?: () => boolean;
}

/** What people paste may have spaces around it, and slashes at its end. */
export async function baseUrlFor(context: SendingContext): Promise<string> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('beckonApi');
	return baseUrl.trim().replace(/\/+$/, '');
}

/**
 * Sends one request, and again after a refusal for the request rate, which had no effect.
 * @throws Refused for every answer that is no success, and what n8n's request helper throws
 */
export async function sendOnce(
	context: SendingContext,
	call: BeckonCall,
	options: SendOptions,
): Promise<IDataObject> {
	for (let waited = 0; ;) {
		const answer = await attempt(context, call, options);
		if (isSuccess(answer)) return answer.body as IDataObject;
		const pause = Math.max(1, retryAfterSeconds(answer.headers, Date.now()) ?? 1) * 1000;
		if (!isRateRefusal(answer) || waited + pause > options.longestWait) throw new Refused(answer);
		waited += await pauseFor(pause, options.isCancelled);
		if (options.isCancelled?.()) throw new Refused(answer);
	}
}

/** A sleep cannot be ended early, so a long one is made of short ones. */
async function pauseFor(milliseconds: number, isCancelled?: () => boolean): Promise<number> {
	for (let left = milliseconds; left > 0 && !isCancelled?.(); left -= 1000) {
		await sleep(Math.min(left, 1000));
	}
	return milliseconds;
}

async function attempt(
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
