import type { Readable } from 'node:stream';
import type { AxiosError } from 'axios';
import type { Action } from '../contract/actions.ts';
import type { WebhookAnswer } from '../contract/webhook-answer.ts';
import { Groups } from '../groups.ts';
import { agentsFor, isPrivateAddressError } from './public-agents.ts';
import { readWebhookAnswer } from './webhook-answer.ts';

/** A webhook as the sender configured it on a button. */
type WebhookCall = Pick<Extract<Action, { type: 'webhook' }>, 'url' | 'method' | 'body'>;

/** A tap on a button: its person, device and time. The receiver gets them as headers. */
export interface Tap {
	id: string;
	user: string;
	device: string;
	/** RFC 3339. */
	at: string;
}

/** The answer of a webhook. */
interface Answered extends WebhookAnswer {
	status: number;
	/** True if it answered with a web page, so it may not have recognized the call. */
	isPage: boolean;
	/** Bytes of its body, if it says so. */
	length?: number | undefined;
}

export type WebhookResult = ({ kind: 'answered' } & Answered) | { kind: 'failed'; reason: string };

/** The answer of a callback, or why there is none. */
export type CallbackResult =
	| ({ kind: 'answered' } & Pick<Answered, 'status' | 'isPage' | 'length'>)
	| { kind: 'uncalled' | 'unknown' | 'not_allowed' };

export interface WebhookOptions {
	/** Also call addresses that are not public unicast, and plain http (BECKON_WEBHOOK_ALLOW_PRIVATE). */
	allowPrivate: boolean;
	/** Concurrent calls of one account. */
	openPerAccount: number;
	/** Called with the result of each call. */
	onResult?: ((result: WebhookResult) => void) | undefined;
}

const MAX_REDIRECTS = 3;
const TRIES = 3;

/** Milliseconds a webhook may take, all tries together. */
const WEBHOOK_LIMIT_MS = 10_000;

/** The answer to a tap whose webhook call was still open when the server had to stop. */
const STOPPED =
	'The server was stopped before the webhook answered, so its outcome is unknown. Tap again to call it again.';

const LOST_BY_REDIRECT =
	'The webhook redirects to an address that cannot be reached. It may have worked anyway: check before you tap again.';

const UNKNOWN_HOST = 'The webhook’s host was not found. The button’s address may be wrong.';
const UNREACHABLE = 'The webhook’s server cannot be reached from here. Try again later.';

/** These occur before anything is sent, so another try cannot call the webhook twice. */
const CONNECTION_FAILURES = new Map([
	['ECONNREFUSED', 'Could not connect to the webhook. Its server may be down: try again later.'],
	['ENOTFOUND', UNKNOWN_HOST],
	['EAI_AGAIN', UNKNOWN_HOST],
	['EHOSTUNREACH', UNREACHABLE],
	['ENETUNREACH', UNREACHABLE],
]);

/**
 * Calls the webhooks of tapped buttons (docs/api-decisions.md "Webhooks"). The sender chooses the URL, so the
 * address connected to is checked, not the name: a name can point anywhere.
 */
export class Webhooks {
	readonly #options: WebhookOptions;
	/** The calls under way, by account. */
	readonly #open = new Groups<object>();
	readonly #agents: ReturnType<typeof agentsFor>;
	readonly #stopping = new AbortController();

	constructor(options: WebhookOptions) {
		this.#options = options;
		this.#agents = agentsFor(options.allowPrivate);
	}

	/** Never rejects: a failure is part of the result, worded for the person who tapped. */
	async call(accountId: string, webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		const open = this.#open.get(accountId)?.size ?? 0;
		if (open >= this.#options.openPerAccount) {
			return {
				kind: 'failed',
				reason: 'Too many webhook calls of this account are open; try again in a moment.',
			};
		}
		const call = {};
		this.#open.join(accountId, call);
		try {
			const result = await this.#tryToCall(webhook, tap);
			this.#options.onResult?.(result);
			return result;
		} finally {
			this.#open.leave(accountId, call);
		}
	}

	/** Gives up open calls; their outcome is unknown, so none is repeated. */
	stop(): void {
		this.#stopping.abort();
	}

	async #tryToCall(webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		const limit = AbortSignal.timeout(WEBHOOK_LIMIT_MS);
		const signal = AbortSignal.any([limit, this.#stopping.signal]);
		for (let attempt = 1; ; attempt += 1) {
			// A server that redirects has received the call: from then on, another try could be a second call.
			const progress = { isTaken: false };
			try {
				const answer = await this.#request(webhook, tapHeaders(tap), signal, () => {
					progress.isTaken = true;
				});
				return { kind: 'answered', ...answer };
			} catch (error) {
				const code = isAxiosError(error) ? error.code : undefined;
				const isRefused = code !== undefined && CONNECTION_FAILURES.has(code);
				if (isRefused && progress.isTaken) return { kind: 'failed', reason: LOST_BY_REDIRECT };
				if (isRefused && attempt < TRIES) continue;
				if (this.#stopping.signal.aborted) return { kind: 'failed', reason: STOPPED };
				return { kind: 'failed', reason: explainFailure(error, limit.aborted) };
			}
		}
	}

	/**
	 * Tells a callback once, by POST. The calls of taps do not wait for it.
	 * @returns `uncalled`: nothing was sent; `unknown`: it was sent, and there is no answer; `not_allowed`: this
	 *          server does not call the address
	 */
	async tell(url: string, body: Record<string, unknown>): Promise<CallbackResult> {
		const signal = AbortSignal.any([AbortSignal.timeout(WEBHOOK_LIMIT_MS), this.#stopping.signal]);
		const progress = { isTaken: false };
		try {
			const answer = await this.#request({ url, method: 'POST', body }, AGENT, signal, () => {
				progress.isTaken = true;
			});
			return { kind: 'answered', ...answer };
		} catch (error) {
			const { code, message } = isAxiosError(error) ? error : { code: undefined, message: '' };
			if (isPrivateAddressError(message) || /redirects/.test(message))
				return { kind: 'not_allowed' };
			const isUncalled = code !== undefined && UNCALLED.test(code);
			return { kind: isUncalled && !progress.isTaken ? 'uncalled' : 'unknown' };
		}
	}

	async #request(
		{ url, method, body }: WebhookCall,
		headers: Record<string, string>,
		signal: AbortSignal,
		onRedirect: () => void,
	): Promise<Answered> {
		const { hostname } = new URL(url);
		let isEncrypted = url.startsWith('https:');
		// Loaded with the first tap: many servers never call a webhook.
		const { default: axios } = await import('axios');
		const response = await axios.request<Readable>({
			url,
			method,
			data: method === 'POST' ? (body ?? {}) : undefined,
			headers,
			...this.#agents,
			proxy: false,
			signal,
			maxRedirects: MAX_REDIRECTS,
			beforeRedirect: (options: Record<string, unknown>) => {
				onRedirect();
				if (options['hostname'] !== hostname)
					throw new Error('the webhook redirects to another host');
				const staysEncrypted = options['protocol'] === 'https:';
				if (isEncrypted && !staysEncrypted)
					throw new Error('the webhook redirects from https to http');
				isEncrypted = staysEncrypted;
			},
			responseType: 'stream',
			validateStatus: () => true,
		});
		const type = String(response.headers['content-type'] ?? '');
		const answer = await readWebhookAnswer(response.data, type);
		const length = Number(response.headers['content-length'] ?? Number.NaN);
		return {
			status: response.status,
			isPage: /^text\/html\b/i.test(type),
			length: Number.isNaN(length) ? undefined : length,
			...answer,
		};
	}
}

const AGENT = { 'user-agent': 'Beckon' };

/** Names are percent-encoded UTF-8: a header holds only ASCII. */
function tapHeaders({ id, user, device, at }: Tap): Record<string, string> {
	return {
		...AGENT,
		'beckon-tap-id': id,
		'beckon-user': encodeURIComponent(user),
		'beckon-device': encodeURIComponent(device),
		'beckon-tapped-at': at,
	};
}

/** Same as axios's own check, without loading axios. */
const isAxiosError = (error: unknown): error is AxiosError =>
	error instanceof Error && 'isAxiosError' in error;

/** The cause of a failed call and what to do about it, without the URL, which may hold a secret. */
function explainFailure(error: unknown, isLate: boolean): string {
	if (isLate)
		return 'The webhook did not answer within 10 seconds. It may have worked anyway: check before you tap again.';
	if (!isAxiosError(error))
		return 'The webhook closed the connection before answering. It may have worked anyway: check before you tap again.';
	const { code, message } = error;
	if (message.includes('redirects to another host'))
		return 'The webhook redirects to another host, which Beckon does not follow. The button needs the final address.';
	if (message.includes('from https to http'))
		return 'The webhook redirects from https to http, where anyone on the network could read it. The button needs the final address.';
	if (isPrivateAddressError(message))
		return 'The webhook is not at a public address, which this server does not call (BECKON_WEBHOOK_ALLOW_PRIVATE).';
	const unconnected = CONNECTION_FAILURES.get(code ?? '');
	if (unconnected !== undefined) return unconnected;
	if (code !== undefined && CERTIFICATE_ERRORS.test(code))
		return `The webhook’s certificate is not valid (${code}), so it was not called.`;
	if (code === 'EPROTO' || code?.startsWith('ERR_SSL_'))
		return 'The webhook’s address does not support HTTPS. The button’s address may be wrong.';
	if (code === 'ERR_FR_TOO_MANY_REDIRECTS')
		return 'The webhook redirected too many times. The button needs the final address.';
	return `The webhook call was cut off${code ? ` (${code})` : ''}. It may have worked anyway: check before you tap again.`;
}

/** Errors that come before a request is sent. */
const UNCALLED =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|ERR_TLS_CERT_.*|HOSTNAME_MISMATCH)$/;

/** From OpenSSL and Node.js (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const CERTIFICATE_ERRORS =
	/^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
