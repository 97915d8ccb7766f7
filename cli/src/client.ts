import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isSuccess, readHeader, refusalIn, type Answer } from '../../src/rules/answer';
import type { BeckonCall, BeckonRequest } from '../../src/rules/call';
import { Cancellation, WaitCancelled } from '../../src/rules/cancellation';
import { AllowanceUsedUp } from '../../src/rules/pacing/allowance';
import { codeIn } from '../../src/rules/repeat';
import { Transport, type Access } from '../../src/rules/transport';
import { EXIT, Failure } from './failure';

/** Milliseconds until an answer; a server may hold a question's for 50 seconds. */
const ANSWER_WITHIN = 60_000;

const REASONS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'nothing listens there. Check the address and whether the server runs.',
	ENOTFOUND: 'its name is unknown. Check the address.',
	EAI_AGAIN: 'its name cannot be looked up. Check the network.',
	ETIMEDOUT: 'it did not answer in time. What was sent may have arrived.',
	ECONNRESET: 'the connection closed before the answer. What was sent may have arrived.',
	DEPTH_ZERO_SELF_SIGNED_CERT:
		'its certificate is signed by itself. Set NODE_EXTRA_CA_CERTS to the file with the certificate.',
};

/** Undici's names for what the system's codes say as well. */
const SAME_AS: Readonly<Record<string, string>> = {
	UND_ERR_SOCKET: 'ECONNRESET',
	UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
	UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
};

/** What a command does its work with. */
export interface Tools {
	/** With the command's own signal if none is given. */
	client: (signal?: AbortSignal) => Promise<Client>;
	/** Aborted by SIGINT, SIGTERM and SIGHUP. */
	signal: AbortSignal;
	/** Prints one line for people, or the value with --json. */
	print: (line: string, json: unknown) => void;
}

/** One person's or script's connection to the service, with the rules that the n8n node sends by. */
export class Client {
	private readonly access: Access;

	private readonly signal: AbortSignal;

	private readonly transport = new Transport({
		now: () => Date.now(),
		sleep: async (milliseconds) => await sleep(milliseconds),
		random: () => Math.random(),
	});

	constructor(access: Access, signal: AbortSignal) {
		this.access = access;
		this.signal = signal;
	}

	/**
	 * Sends a call, again where that cannot duplicate anything, and once the allowance permits.
	 * @param within milliseconds after which it is given up
	 * @returns the body of the success
	 * @throws Failure with the service's own words otherwise
	 */
	async send<T>(call: BeckonCall, within?: number): Promise<T> {
		const limit = within === undefined ? [] : [AbortSignal.timeout(within)];
		const signal = AbortSignal.any([this.signal, ...limit]);
		const headers = { 'idempotency-key': `"${randomUUID()}"` };
		const attempt = async () => await this.request(call, signal, headers);
		const run = {
			cancellation: new Cancellation(signal),
			inFlight: 0,
			waited: 0,
			access: Promise.resolve(this.access),
		};
		const sending = { longestWait: within ?? Infinity, parallel: 1 };
		try {
			return this.successIn<T>(await this.transport.transmit(call, attempt, run, sending));
		} catch (error) {
			throw this.explained(error);
		}
	}

	/**
	 * Reads something once, whatever the answer.
	 * @throws Failure if there is none
	 */
	async read(path: string): Promise<Answer> {
		try {
			return await this.request({ method: 'GET', path }, this.signal);
		} catch (error) {
			throw this.explained(error);
		}
	}

	private async request(
		{ method, path, body }: BeckonRequest,
		signal: AbortSignal,
		headers: Record<string, string> = {},
	): Promise<Answer> {
		const response = await fetch(`${this.access.baseUrl}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${this.access.apiKey}`,
				...(body && { 'content-type': 'application/json', ...headers }),
			},
			...(body && { body: JSON.stringify(body) }),
			// It could carry the key to another host.
			redirect: 'manual',
			signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)]),
		}).catch(withSystemCode);
		const text = await response.text().catch(withSystemCode);
		return {
			status: response.status,
			headers: Object.fromEntries(response.headers),
			body: toJson(text),
		};
	}

	/** The body of a success. @throws Failure with the service's own words otherwise */
	successIn<T>(answer: Answer): T {
		const isRead = answer.status === 200 && refusalIn(answer) === undefined;
		if (isSuccess(answer) || isRead) return answer.body as T;
		throw new Failure(this.reasonOf(answer), EXIT.failed, answer.body);
	}

	/** The service's own words, with advice on what it cannot know. */
	private reasonOf(answer: Answer): string {
		const { status } = answer;
		const refusal = refusalIn(answer);
		if (status >= 300 && status < 400) {
			const to = readHeader(answer.headers, 'location');
			return `${this.access.baseUrl} redirects${to === undefined ? '' : ` to ${to}`}. Run \`beckon login\` with the final address.`;
		}
		if (status === 401) return 'The key is not valid. Run `beckon login` with another.';
		if (!refusal || (status === 404 && refusal.error.toLowerCase() === 'not found')) {
			return `${this.access.baseUrl} is not the API of a Beckon server that knows this call (HTTP ${status}). The address ends with /api.`;
		}
		return refusal.message ?? refusal.error;
	}

	private explained(error: unknown): unknown {
		if (this.signal.aborted) return new Failure('Interrupted.', EXIT.interrupted);
		if (error instanceof AllowanceUsedUp) {
			return new Failure(
				`The allowance is used up; it returns at ${error.returnsAt.toLocaleTimeString()}.`,
			);
		}
		const code = error instanceof WaitCancelled ? 'ETIMEDOUT' : codeIn(error);
		// Such as a port that `fetch` never connects to.
		const refused =
			error instanceof TypeError && error.cause instanceof Error ? error.cause.message : undefined;
		const reason = code === undefined ? refused : (REASONS[code] ?? code);
		if (reason === undefined) return error;
		return new Failure(`Cannot reach ${this.access.baseUrl}: ${reason}`);
	}
}

/** Gives an error of `fetch` the code by which the rules for repeats know it. */
function withSystemCode(error: unknown): never {
	const isTimeout = error instanceof Error && error.name === 'TimeoutError';
	const found = isTimeout ? 'ETIMEDOUT' : codeIn(error);
	if (found === undefined) throw error;
	throw Object.assign(new Error(`The request failed: ${found}`, { cause: error }), {
		code: SAME_AS[found] ?? found,
	});
}

function toJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
