import type { Readable } from 'node:stream';
import {
	type Action,
	MAX_WEBHOOK_RESPONSE_BYTES,
	type WebhookResponse,
	webhookResponse,
} from '../contract/actions.ts';
import { Groups } from '../collections.ts';
import { agentsFor, codeOf, isPrivateAddressError } from './public-agents.ts';

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

/** The response of a webhook. */
interface Parsed extends WebhookResponse {
	status: number;
	/** True if the response is a web page, so the call may not have been recognized. */
	isPage: boolean;
}

export type WebhookResult = ({ kind: 'responded' } & Parsed) | { kind: 'failed'; reason: string };

/** The response of a callback, or why there is none. `text`: the message of its JSON, or the title of its page. */
export type CallbackResult =
	| { kind: 'responded'; status: number; isPage: boolean; text?: string | undefined }
	| { kind: 'uncalled' | 'unknown' | 'not_allowed' };

interface WebhookOptions {
	/** Also call addresses that are not public unicast, and plain http (BECKON_WEBHOOK_ALLOW_PRIVATE). */
	allowPrivate: boolean;
	/** Concurrent calls of one account. */
	openPerAccount: number;
	/** Called with the result of each call. */
	onResult?: ((result: WebhookResult) => void) | undefined;
}

const MAX_REDIRECTS = 3;
const TRIES = 3;

/** After any other redirect, a POST becomes a GET without its body (RFC 9110 section 15.4). */
const KEEPS_BODY = new Set([307, 308]);

/** Milliseconds a webhook may take, all tries together. */
const MAX_CALL_MS = 10_000;

/** The response to a tap whose webhook call was still open when the server had to stop. */
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
	/** The taps whose calls are under way, by account. */
	readonly #open = new Groups<Tap>();
	readonly #agents: ReturnType<typeof agentsFor>;
	readonly #stopping = new AbortController();

	constructor(options: WebhookOptions) {
		this.#options = options;
		this.#agents = agentsFor(options.allowPrivate);
	}

	/** Never rejects: a failure is part of the result, worded for the person who tapped. */
	async call(accountId: string, webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		const open = [...(this.#open.get(accountId) ?? [])];
		const most = this.#options.openPerAccount;
		// Nobody alone can make the taps of others fail.
		const ofPerson = open.filter(({ user }) => user === tap.user).length;
		if (open.length >= most || ofPerson >= Math.max(2, most / 2))
			return {
				kind: 'failed',
				reason: 'Too many webhook calls of this account are open; try again in a moment.',
			};
		this.#open.join(accountId, tap);
		try {
			const result = await this.#tryToCall(webhook, tap);
			this.#options.onResult?.(result);
			return result;
		} finally {
			this.#open.leave(accountId, tap);
		}
	}

	/** Gives up open calls; their outcome is unknown, so none is repeated. */
	stop(): void {
		this.#stopping.abort();
	}

	async #tryToCall(webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		const limit = AbortSignal.timeout(MAX_CALL_MS);
		const signal = AbortSignal.any([limit, this.#stopping.signal]);
		for (let attempt = 1; ; attempt += 1) {
			// A server that redirects has received the call: from then on, another try could be a second call.
			const progress = { isTaken: false };
			try {
				const response = await this.#request(webhook, tapHeaders(tap), signal, () => {
					progress.isTaken = true;
				});
				return { kind: 'responded', ...response };
			} catch (error) {
				const code = codeOf(error);
				const isRefused = code !== undefined && CONNECTION_FAILURES.has(code);
				if (isRefused && progress.isTaken) return { kind: 'failed', reason: LOST_BY_REDIRECT };
				if (isRefused && attempt < TRIES) continue;
				if (this.#stopping.signal.aborted) return { kind: 'failed', reason: STOPPED };
				return { kind: 'failed', reason: explainFailure(error, limit.aborted) };
			}
		}
	}

	/**
	 * Calls a callback once, by POST. It does not count toward the limit of open webhook calls.
	 * @returns `uncalled`: nothing was sent; `unknown`: it was sent, and there is no response; `not_allowed`: this
	 *          server does not call the address. A redirect to another host, or that loses the body, is the response
	 */
	async callBack(url: string, body: Record<string, unknown>): Promise<CallbackResult> {
		const signal = AbortSignal.any([AbortSignal.timeout(MAX_CALL_MS), this.#stopping.signal]);
		let redirect: number | undefined;
		try {
			const onRedirect = (status: number) => {
				redirect = status;
				if (!KEEPS_BODY.has(status)) throw refusedRedirect('ERR_LOSES_BODY');
			};
			const call = { url, method: 'POST' as const, body };
			const response = await this.#request(call, AGENT, signal, onRedirect, true);
			const { status, isPage, message: text } = response;
			return { kind: 'responded', status, isPage, text };
		} catch (error) {
			const code = codeOf(error) ?? '';
			if (isPrivateAddressError(error)) return { kind: 'not_allowed' };
			if (redirect !== undefined && code in REDIRECTS)
				return { kind: 'responded', status: redirect, isPage: false };
			const isUncalled = redirect === undefined && UNCALLED.test(code);
			return { kind: isUncalled ? 'uncalled' : 'unknown' };
		}
	}

	async #request(
		{ url, method, body }: WebhookCall,
		headers: Record<string, string>,
		signal: AbortSignal,
		onRedirect: (status: number) => void,
		readsPages = false,
	): Promise<Parsed> {
		const { hostname } = new URL(url);
		/** The client's own error has another code. */
		let refusal: Error | undefined;
		let isEncrypted = url.startsWith('https:');
		// Loaded with the first tap: many servers never call a webhook.
		const { default: axios } = await import('axios');
		const response = await axios
			.request<Readable>({
				url,
				method,
				data: method === 'POST' ? (body ?? {}) : undefined,
				headers,
				...this.#agents,
				proxy: false,
				signal,
				maxRedirects: MAX_REDIRECTS,
				beforeRedirect: (options: Record<string, unknown>, { statusCode }) => {
					try {
						onRedirect(statusCode);
						if (options['hostname'] !== hostname) throw refusedRedirect('ERR_OTHER_HOST');
						const staysEncrypted = options['protocol'] === 'https:';
						if (isEncrypted && !staysEncrypted) throw refusedRedirect('ERR_NOT_ENCRYPTED');
						isEncrypted = staysEncrypted;
					} catch (error) {
						refusal = error as Error;
						throw error;
					}
				},
				responseType: 'stream',
				validateStatus: () => true,
			})
			.catch((error: unknown) => {
				throw refusal ?? error;
			});
		const type = String(response.headers['content-type'] ?? '');
		const isPage = /^text\/html\b/i.test(type);
		const parsed = await (isPage && readsPages
			? readTitle(response.data)
			: readWebhookResponse(response.data, type));
		return { status: response.status, isPage, ...parsed };
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

/** Redirects that are not followed, by the code of their error. */
const REDIRECTS = {
	ERR_LOSES_BODY: 'The webhook redirects to a GET, which loses the body.',
	ERR_OTHER_HOST:
		'The webhook redirects to another host, which Beckon does not follow. The button needs the final address.',
	ERR_NOT_ENCRYPTED:
		'The webhook redirects from https to http, where anyone on the network could read it. The button needs the final address.',
};

const refusedRedirect = (code: keyof typeof REDIRECTS) =>
	Object.assign(new Error(REDIRECTS[code]), { code });

/** The cause of a failed call and what to do about it, without the URL, which may hold a secret. */
function explainFailure(error: unknown, isLate: boolean): string {
	if (isLate)
		return 'The webhook did not answer within 10 seconds. It may have worked anyway: check before you tap again.';
	const code = codeOf(error);
	if (code === undefined)
		return 'The webhook closed the connection before answering. It may have worked anyway: check before you tap again.';
	if (code in REDIRECTS) return REDIRECTS[code as keyof typeof REDIRECTS];
	if (isPrivateAddressError(error))
		return 'The webhook is not at a public address, and this server calls no others (BECKON_WEBHOOK_ALLOW_PRIVATE).';
	const unconnected = CONNECTION_FAILURES.get(code);
	if (unconnected !== undefined) return unconnected;
	if (CERTIFICATE_ERRORS.test(code))
		return `The webhook’s certificate is not valid (${code}), so it was not called.`;
	if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
		return 'The webhook’s address does not support HTTPS. The button’s address may be wrong.';
	if (code === 'ERR_FR_TOO_MANY_REDIRECTS')
		return 'The webhook redirected too many times. The button needs the final address.';
	return `The webhook call was cut off (${code}). It may have worked anyway: check before you tap again.`;
}

/** Errors that come before a request is sent. */
const UNCALLED =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|ERR_TLS_CERT_.*|HOSTNAME_MISMATCH)$/;

/** From OpenSSL and Node.js (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const CERTIFICATE_ERRORS =
	/^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** `application/json`, or a type that is JSON underneath (RFC 6838 section 4.2.8). */
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\b/i;

/**
 * Reads a webhook's response. Returns an empty object if the response is not a JSON object or is too large; the
 * rest is not read. Only the contract's two fields are kept, so a sender cannot make the server read pages on
 * their behalf.
 * @throws any error of the stream before the end of a JSON response
 */
async function readWebhookResponse(
	body: AsyncIterable<Uint8Array> & { destroy(): unknown },
	contentType: string,
): Promise<WebhookResponse> {
	const text = JSON_TYPE.test(contentType) ? await readText(body) : undefined;
	body.destroy();
	if (text === undefined) return {};
	try {
		return webhookResponse.safeParse(JSON.parse(text)).data ?? {};
	} catch {
		return {};
	}
}

/** The title of a web page, as the message. @throws any error of the stream before the page's end */
async function readTitle(body: AsyncIterable<Uint8Array> & { destroy(): unknown }) {
	const text = await readText(body);
	body.destroy();
	return {
		message: /<title>([^<]*)<\/title>/i.exec(text ?? '')?.[1]?.trim(),
	} satisfies WebhookResponse;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > MAX_WEBHOOK_RESPONSE_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}
