import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import {
	isRateRefusal,
	isSuccess,
	readHeader,
	refusalIn,
	type Answer,
} from '../../src/rules/answer';
import type { BeckonCall, UploadCall } from '../../src/rules/call';
import { Cancellation, WaitCancelled } from '../../src/rules/cancellation';
import { AllowanceUsedUp } from '../../src/rules/pacing/allowance';
import { retryAfterSeconds } from '../../src/rules/rate-limit-headers';
import { isUnknown } from '../../src/rules/repeat';
import { Transport } from '../../src/rules/transport';
import type { Login } from './access';
import { EXIT, Failure, warn } from './failure';
import { request, routeTo, toFailure } from './network';
import { inOptions } from './options';

/** Milliseconds until an answer; a server may hold a question's for 50 seconds. */
const ANSWER_WITHIN = 60_000;

/** Options that every command has: --timeout in seconds, and --ca as the path of a file. */
export type Settings = { json?: boolean; timeout?: number; ca?: string };

interface How {
	/** Milliseconds after which it is given up, in silence; otherwise, a wait is told on standard error. */
	within?: number;
	/** By default the command's own. */
	signal?: AbortSignal;
}

/**
 * Sends a call by the rules of the n8n node: again where that cannot duplicate anything, and once the allowance permits.
 * @returns the body of the success
 * @throws Failure with the service's own words, or why there are none
 */
export type Send = <T = Record<string, unknown>>(
	call: BeckonCall | UploadCall,
	how?: How,
) => Promise<T>;

/** What a command does its work with. */
export interface Tools {
	/** To the server that `login` has stored, or the environment names. */
	send: Send;
	sendTo: (login: Login) => Send;
	/** Aborted by SIGINT, SIGTERM and SIGHUP. */
	signal: AbortSignal;
	/** Those of the command that runs. */
	settings: Settings;
	/** Prints a text for people, or the value with --json. */
	print: (text: string, json: unknown) => void;
}

/** @param stop ends every call, and with them the command */
export function senderTo(login: Login, stop: AbortSignal, settings: Settings): Send {
	const { apiKey, baseUrl } = login;
	const route = routeTo(baseUrl, settings.ca ?? login.ca);
	const transport = new Transport({
		now: () => Date.now(),
		// No timer outlives the command. The transport is not told: it would only look at the clock again.
		sleep: async (milliseconds) => {
			await sleep(milliseconds, undefined, { signal: stop }).catch(
				async () => await new Promise<never>(() => undefined),
			);
		},
	});

	async function attempt(call: BeckonCall | UploadCall, signal: AbortSignal): Promise<Answer> {
		const { method, path, body, contentType = 'application/json', headers } = call;
		const isRead = method === 'GET';
		return await request(await route, `${baseUrl}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${apiKey}`,
				...(!isRead && { 'content-type': contentType, ...headers }),
			},
			...(!isRead && {
				body: Buffer.isBuffer(body) ? Uint8Array.from(body) : JSON.stringify(body),
			}),
			signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)]),
		});
	}

	return async <T>(call: BeckonCall | UploadCall, { within, signal = stop }: How = {}) => {
		const longestWait = within ?? (settings.timeout ?? Infinity) * 1000;
		const limit = longestWait < Infinity ? [AbortSignal.timeout(longestWait)] : [];
		const limited = AbortSignal.any([signal, ...limit]);
		const headers = { 'idempotency-key': `"${randomUUID()}"`, ...call.headers };
		let mayHaveArrived = false;
		const attempting = async () => {
			const answer = await attempt({ ...call, headers }, limited).catch((error: unknown) => {
				mayHaveArrived ||= limited.aborted || isUnknown({ error });
				throw error;
			});
			if (within === undefined) tellWait(answer, longestWait);
			return answer;
		};
		const cancellation = new Cancellation(limited);
		const run = { cancellation, inFlight: 0, waited: 0, access: Promise.resolve(login) };
		const answer = await transport
			.transmit(call, attempting, run, { longestWait, parallel: 1 })
			.catch((error: unknown) => {
				if (!signal.aborted) throw explained(error, baseUrl);
				throw new Failure('Interrupted.', EXIT.interrupted, { mayHaveArrived });
			});
		if (isSuccess(answer)) return answer.body as T;
		throw new Failure(reasonOf(answer, baseUrl), EXIT.failed, answer);
	};
}

/** The service's own words, with advice on what it cannot know. */
function reasonOf(answer: Answer, baseUrl: string): string {
	const { status } = answer;
	const refusal = refusalIn(answer);
	if (status >= 300 && status < 400) {
		const to = readHeader(answer.headers, 'location');
		return `${baseUrl} redirects${to === undefined ? '' : ` to ${to}`}. Run \`beckon login\` with the final address.`;
	}
	if (status === 401) return 'The key is not valid. Run `beckon login` with another.';
	const isUnknown = status === 404 && refusal?.error.toLowerCase() === 'not found';
	if (refusal && !isUnknown) return inOptions(refusal);
	return status >= 500
		? `${baseUrl} does not work now (HTTP ${status}). Look at the server, or at the proxy before it.`
		: `${baseUrl} is not the API of a Beckon server that knows this call (HTTP ${status}). The address ends with /api.`;
}

function explained(error: unknown, baseUrl: string): unknown {
	if (error instanceof AllowanceUsedUp) {
		const time = error.returnsAt.toLocaleTimeString();
		return new Failure(`The allowance is used up; it returns at ${time}.`);
	}
	const late = new Error('too late');
	const timeout = { code: 'ETIMEDOUT', cause: late };
	return toFailure(error instanceof WaitCancelled ? timeout : error, baseUrl) ?? error;
}

/** Says why and how long a call waits that is sent again after this answer. */
function tellWait(answer: Answer, longestWait: number): void {
	const seconds = Math.ceil(retryAfterSeconds(answer.headers, Date.now()) ?? 0);
	if (seconds * 1000 > longestWait) return;
	if (isRateRefusal(answer)) {
		warn(`The allowance is used up. Waiting ${seconds || 'a few'} seconds; --timeout limits that.`);
	} else if (refusalIn(answer)?.['code'] === 'not_stored') {
		warn('The server cannot store anything now. Trying again for up to five minutes.');
	}
}
