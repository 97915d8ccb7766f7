import type { AxiosError } from 'axios';
import { agentsFor, isPrivateAddressError } from './public-agents.ts';

/** A webhook as the sender configured it on a button. */
export interface WebhookCall {
	url: string;
	method: 'GET' | 'POST';
	body?: Record<string, unknown> | undefined;
}

/** Who tapped the button, on what, and when; the receiver learns it from headers. */
export interface Tap {
	id: string;
	user: string;
	device: string;
	/** RFC 3339. */
	at: string;
}

export type WebhookResult =
	| {
			kind: 'answered';
			status: number;
			/** It answered with a page for people, so it may not have taken the call for what it is. */
			isPage: boolean;
	  }
	| { kind: 'failed'; reason: string };

export interface WebhookOptions {
	/** Call addresses that are not public unicast too, and plain http (BECKON_WEBHOOK_ALLOW_PRIVATE). */
	allowPrivate: boolean;
	/** Calls that one account may have open at a time. */
	openPerAccount: number;
}

const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const TRIES = 3;

/** The longest that a webhook may take. */
export const WEBHOOK_LIMIT_MS = TRIES * TIMEOUT_MS;

/** What a tap is told whose webhook was still under way when the server had to stop. */
const STOPPED =
	'The server was stopped before the webhook answered, so its outcome is not known. Tap again to call it again.';

/** Nothing was sent yet when these happen, so a further try cannot call the webhook twice. */
const CONNECTION_FAILURES = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);

/**
 * Calls the webhooks of tapped buttons (docs/api-decisions.md "Webhooks"). The sender chooses the URL,
 * so the address that is connected to is checked, not the name: a name can point anywhere.
 */
export class Webhooks {
	readonly #options: WebhookOptions;
	readonly #open = new Map<string, number>();
	readonly #agents: ReturnType<typeof agentsFor>;
	readonly #stopping = new AbortController();

	constructor(options: WebhookOptions) {
		this.#options = options;
		this.#agents = agentsFor(options.allowPrivate);
	}

	/** Never rejects: a failure is part of the result, in words for the person who tapped. */
	async call(accountId: string, webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		const open = this.#open.get(accountId) ?? 0;
		if (open >= this.#options.openPerAccount) {
			return {
				kind: 'failed',
				reason: 'Too many webhooks of this account are open; try again in a moment.',
			};
		}
		this.#open.set(accountId, open + 1);
		try {
			return await this.#tryToCall(webhook, tap);
		} finally {
			const left = (this.#open.get(accountId) ?? 1) - 1;
			if (left > 0) this.#open.set(accountId, left);
			else this.#open.delete(accountId);
		}
	}

	/** Gives up the calls under way; what became of them is not known, so none is repeated. */
	stop(): void {
		this.#stopping.abort();
	}

	async #tryToCall(webhook: WebhookCall, tap: Tap): Promise<WebhookResult> {
		for (let attempt = 1; ; attempt += 1) {
			try {
				return { kind: 'answered', ...(await this.#request(webhook, tap)) };
			} catch (error) {
				const code = isAxiosError(error) ? error.code : undefined;
				if (attempt < TRIES && code && CONNECTION_FAILURES.has(code)) continue;
				if (this.#stopping.signal.aborted) return { kind: 'failed', reason: STOPPED };
				return { kind: 'failed', reason: reasonOf(error) };
			}
		}
	}

	async #request(
		{ url, method, body }: WebhookCall,
		tap: Tap,
	): Promise<{ status: number; isPage: boolean }> {
		const { hostname } = new URL(url);
		// Loaded with the first tap: many servers never call a webhook.
		const { default: axios } = await import('axios');
		const response = await axios.request<NodeJS.ReadableStream & { destroy(): void }>({
			url,
			method,
			data: method === 'POST' ? (body ?? {}) : undefined,
			headers: tapHeaders(tap),
			...this.#agents,
			proxy: false,
			signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stopping.signal]),
			maxRedirects: MAX_REDIRECTS,
			beforeRedirect: (options: Record<string, unknown>) => {
				if (options['hostname'] !== hostname)
					throw new Error('the webhook redirects to another host');
			},
			responseType: 'stream',
			validateStatus: () => true,
		});
		// What it says is nobody's business here: the sender could make the server read for them.
		response.data.destroy();
		const type = String(response.headers['content-type'] ?? '');
		return { status: response.status, isPage: /^text\/html\b/i.test(type) };
	}
}

/** Names are percent-encoded UTF-8: a header holds ASCII only. */
function tapHeaders({ id, user, device, at }: Tap): Record<string, string> {
	return {
		'user-agent': 'Beckon',
		'beckon-tap-id': id,
		'beckon-user': encodeURIComponent(user),
		'beckon-device': encodeURIComponent(device),
		'beckon-tapped-at': at,
	};
}

/** As axios has it, without loading axios. */
const isAxiosError = (error: unknown): error is AxiosError =>
	error instanceof Error && 'isAxiosError' in error;

/** Why a call failed, without the URL, which may hold a secret. */
function reasonOf(error: unknown): string {
	if (!isAxiosError(error)) return 'The webhook could not be called.';
	const { code, message } = error;
	if (code === 'ERR_CANCELED') return 'The webhook did not answer within 10 seconds.';
	if (code === 'ECONNREFUSED') return 'The webhook refused the connection.';
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host of the webhook was not found.';
	if (message.includes('redirects to another host'))
		return 'The webhook redirects to another host.';
	if (isPrivateAddressError(message)) {
		return 'The webhook is not at a public address, which this server does not call.';
	}
	return `The webhook could not be called${code ? ` (${code})` : ''}.`;
}
