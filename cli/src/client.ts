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
import { readLogin, type Login } from './access';
import { EXIT, Failure, messageOf, warn, type Known } from './failure';
import { request, routeTo, toFailure } from './network';
import { inOptions } from './options';
import { settings, stop } from './settings';

/** Milliseconds until an answer; a server may hold a question's for 50 seconds. */
const ANSWER_WITHIN = 60_000;

/** The most milliseconds that a timer of Node.js takes: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type Call = BeckonCall | UploadCall;

/**
 * `within` is the number of milliseconds until the call is given up; without it, --timeout applies, and waits are reported
 * on standard error. `signal` is the command's own by default.
 */
type How = { within?: number; signal?: AbortSignal };

/**
 * Sends a call by the rules of the n8n node: again where that cannot duplicate anything, and once the allowance permits.
 * @returns the body of the success
 * @throws Failure with the service's own words, or why there are none
 */
export type Send = <T = Record<string, unknown>>(call: Call, how?: How) => Promise<T>;

let sending: Promise<Send> | undefined;

/** Sends a call to the server that `login` stored or the environment names. */
export const send: Send = async (call, how) =>
	await (
		await (sending ??= readLogin().then(senderTo))
	)(call, how);

/** Sends calls to a server, until the command is stopped. */
export function senderTo(login: Login): Send {
	const { apiKey, baseUrl } = login;
	const route = routeTo(baseUrl, settings.ca ?? login.ca);
	const never = async () => await new Promise<never>(() => undefined);

	return async <T>(call: Call, { within, signal = stop.signal }: How = {}) => {
		const { method, path, body, contentType = 'application/json' } = call;
		const content = Buffer.isBuffer(body) ? Uint8Array.from(body) : JSON.stringify(body);
		const headers = {
			authorization: `Bearer ${apiKey}`,
			'content-type': contentType,
			'idempotency-key': `"${randomUUID()}"`,
			...call.headers,
		};
		const init = { method, headers, body: method === 'GET' ? null : content };
		const longestWait = within ?? (settings.timeout ?? Infinity) * 1000;
		const limit = AbortSignal.timeout(Math.min(longestWait, MAX_TIMER_MS));
		const limited = AbortSignal.any([signal, limit]);
		const known: Known = {};
		let wait = '';
		const attempt = async () => {
			const limits = AbortSignal.any([limited, AbortSignal.timeout(ANSWER_WITHIN)]);
			try {
				const answer = await request(await route, baseUrl + path, { ...init, signal: limits });
				known.trouble = reasonOf(answer, baseUrl);
				wait = waitAfter(answer, longestWait);
				return answer;
			} catch (error) {
				known.mayHaveArrived ||= limited.aborted || isUnknown({ error });
				if (!limited.aborted) known.trouble = messageOf(explained(error, baseUrl));
				wait = 'Trying again for a few seconds.';
				throw error;
			}
		};
		const clock = {
			now: () => Date.now(),
			sleep: async (milliseconds: number) => {
				if (within === undefined && wait) warn(`${known.trouble} ${wait}`);
				// No timer outlives the command. The transport need not know: it would only check the clock again.
				await sleep(milliseconds, undefined, { signal: stop.signal }).catch(never);
			},
		};
		const cancellation = new Cancellation(limited);
		const run = { cancellation, inFlight: 0, waited: 0, access: Promise.resolve(login) };
		const answer = await new Transport(clock)
			.transmit(call, attempt, run, { longestWait, parallel: 1 })
			.catch((error: unknown) => {
				if (!signal.aborted) throw explained(error, baseUrl);
				throw new Failure('Interrupted.', EXIT.interrupted, known);
			});
		if (isSuccess(answer)) return answer.body as T;
		throw new Failure(reasonOf(answer, baseUrl), EXIT.failed, answer);
	};
}

/** The service's own words, with advice where it cannot give any. */
function reasonOf(answer: Answer, baseUrl: string): string {
	const { status } = answer;
	const refusal = refusalIn(answer);
	const to = readHeader(answer.headers, 'location') ?? 'another address';
	if (status >= 300 && status < 400)
		return `${baseUrl} redirects to ${to}. Run \`beckon login\` with the final address.`;
	if (isRateRefusal(answer)) return 'The allowance is used up.';
	if (status === 401) return 'The key is not valid. Run `beckon login` with another.';
	const isUnknown = status === 404 && refusal?.error.toLowerCase() === 'not found';
	if (refusal && !isUnknown) return inOptions(refusal);
	return status >= 500
		? `${baseUrl} does not work now (HTTP ${status}). Look at the server, or at the proxy before it.`
		: `${baseUrl} is not the API of a Beckon server that knows this call (HTTP ${status}). It ends with the server's name, or with /api.`;
}

function explained(error: unknown, baseUrl: string): unknown {
	if (error instanceof AllowanceUsedUp) {
		const time = error.returnsAt.toLocaleTimeString();
		return new Failure(`The allowance is used up; it resets at ${time}.`);
	}
	const timeout = { code: 'ETIMEDOUT', cause: new Error('too late') };
	return toFailure(error instanceof WaitCancelled ? timeout : error, baseUrl) ?? error;
}

/** Says how long a call waits after this answer; empty if it does not wait. */
function waitAfter(answer: Answer, longestWait: number): string {
	const seconds = Math.ceil(retryAfterSeconds(answer.headers, Date.now()) ?? 0);
	if (seconds * 1000 > longestWait) return '';
	if (refusalIn(answer)?.['code'] === 'not_stored') return 'Trying again for up to five minutes.';
	return `Waiting ${seconds ? `${seconds} s` : 'a few seconds'}; --timeout limits that.`;
}
