import { createHash } from 'node:crypto';

import type { Answer } from './answer';
import {
	isPush,
	isRepeatable,
	toFeature,
	toSubject,
	type BeckonCall,
	type Feature,
	type UploadCall,
} from './call';
import { Pacer } from './pacing/pacer';
import type { Run } from './pacing/queue';
import { sendRepeatedly } from './repeat';
import { wait, type Clock } from './wait';

/** Where calls go, and by which key. */
export interface Access {
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string;
}

/** A pasted address may have spaces around it and slashes at its end, a pasted key the header's `Bearer` before it. */
export function trimmed({ baseUrl, apiKey }: Access): Access {
	return {
		baseUrl: baseUrl.trim().replace(/\/+$/, ''),
		apiKey: apiKey.trim().replace(/^Bearer\s+/i, ''),
	};
}

/** The options for sending a call. */
export interface Sending {
	/** Total milliseconds that the call may wait for the allowance before it fails, or Infinity. */
	longestWait: number;
	/**
	 * Requests of one run that may be under way at once. If the user gives no number, calls that make
	 * something new keep the order of their items, one at a time.
	 */
	parallel: number | undefined;
	/** True to wait for an unreachable server: until `longestWait`, or for a few minutes. */
	awaitsServer?: boolean | undefined;
}

/** Used if the user gives no number; calls for different things do not wait for each other. */
const DEFAULT_PARALLEL = 1000;

/** The number of pacers kept before unused ones are dropped. */
const MAX_PACERS = 256;

/** Sends the calls of all runs in a process. */
export class Transport {
	private readonly clock: Clock;

	/** The pacers of the allowances, the most recently requested last. */
	private readonly pacers = new Map<string, Pacer>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Sends a call once its allowance and the earlier calls for the same thing permit, and again where that
	 * cannot duplicate anything.
	 * @param attempt one request; resolves for every HTTP status, rejects if there was no answer
	 * @throws AllowanceUsedUp, WaitCancelled, and the error of the last attempt
	 */
	async transmit(
		call: BeckonCall | UploadCall,
		attempt: () => Promise<Answer>,
		run: Run & { access: Promise<Access> },
		{ longestWait, parallel, awaitsServer }: Sending,
	): Promise<Answer> {
		const { clock } = this;
		const deadline = clock.now() + longestWait;
		const access = await run.access;
		const pacer = this.pacerFor(access, toFeature(call));
		const sendInTurn = async () =>
			await pacer.send(attempt, { run, parallel: parallel ?? DEFAULT_PARALLEL, deadline });
		const inOrder = parallel === undefined ? run : undefined;
		return await pacer.lanes.inTurn(
			toSubject(call) ?? inOrder,
			run.cancellation,
			async () =>
				await sendRepeatedly(sendInTurn, {
					// The server drops the second push with a key.
					isRepeatable: isRepeatable(call) || isPush(call),
					longestWait,
					awaitsServer,
					run,
					wait: async (milliseconds) => {
						await wait(milliseconds, run.cancellation, clock);
					},
					now: clock.now,
				}),
		);
	}

	/**
	 * The pacer of an allowance, shared by all requests for the same base URL, key and feature. Its name contains a
	 * digest of the key, so the list of pacers contains no keys.
	 */
	private pacerFor({ baseUrl, apiKey }: Access, feature: Feature): Pacer {
		const digest = createHash('sha256').update(apiKey).digest('base64');
		const name = `${feature} ${digest} ${baseUrl}`;
		const pacer = this.pacers.get(name) ?? new Pacer(this.clock);
		this.pacers.delete(name);
		this.pacers.set(name, pacer);
		this.dropUnused();
		return pacer;
	}

	private dropUnused(): void {
		if (this.pacers.size <= MAX_PACERS) return;
		for (const [name, pacer] of this.pacers) {
			if (!pacer.isBusy) this.pacers.delete(name);
			if (this.pacers.size <= MAX_PACERS / 2) return;
		}
	}
}
