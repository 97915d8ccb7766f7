import type { Answer } from '../../../src/rules/answer.ts';
import type { Clock } from '../../../src/rules/wait.ts';

/** A clock that advances only when no more work is possible now, and then to the next sleeper. */
export class FakeClock implements Clock {
	private time = 1_000_000;

	private readonly sleepers: Array<{ at: number; wake: () => void }> = [];

	now = () => this.time;

	sleep = async (milliseconds: number): Promise<void> =>
		await new Promise((wake) => {
			this.sleepers.push({ at: this.time + milliseconds, wake });
		});

	/** Runs until the work is done, or nothing sleeps any more. */
	async run<T>(work: Promise<T>): Promise<T> {
		const state = { isDone: false };
		const finish = () => {
			state.isDone = true;
		};
		work.then(finish, finish);
		for (;;) {
			await new Promise(setImmediate);
			if (state.isDone) return await work;
			this.sleepers.sort((a, b) => a.at - b.at);
			const next = this.sleepers.shift();
			if (!next) throw new Error('Everybody waits, and nobody sleeps');
			this.time = Math.max(this.time, next.at);
			next.wake();
		}
	}
}

export interface ServiceOptions {
	quota: number;
	windowSeconds: number;
	/** Milliseconds from a request's sending to its counting, and from there to its answer. */
	latency?: () => number;
}

/** The service's fixed windows (docs/api-decisions.md "Rate limits"), counted as its server does. */
export class FakeService {
	refusals = 0;

	/** The time at which each accepted request was counted. */
	readonly accepted: Array<{ name: string; at: number }> = [];

	/** The order in which requests were sent. */
	readonly sent: string[] = [];

	private window = { opened: -Infinity, used: 0 };

	private readonly clock: FakeClock;

	private readonly options: ServiceOptions;

	constructor(clock: FakeClock, options: ServiceOptions) {
		this.clock = clock;
		this.options = options;
	}

	async request(name: string): Promise<Answer> {
		this.sent.push(name);
		await this.pause();
		const answer = this.count(name);
		await this.pause();
		return answer;
	}

	/** Counts one request now, as if from another process with the same key. */
	count(name: string): Answer {
		const { quota, windowSeconds } = this.options;
		const now = this.clock.now();
		if (now - this.window.opened >= windowSeconds * 1000) this.window = { opened: now, used: 0 };
		const isAllowed = this.window.used < quota;
		if (isAllowed) {
			this.window.used += 1;
			this.accepted.push({ name, at: now });
		} else this.refusals += 1;
		const left = quota - this.window.used;
		const reset = Math.ceil((this.window.opened + windowSeconds * 1000 - now) / 1000);
		return {
			status: isAllowed ? 200 : 429,
			headers: {
				'ratelimit-policy': `"account:x";q=${quota};w=${windowSeconds}`,
				ratelimit: `"account:x";r=${left};t=${reset}`,
				...(!isAllowed && { 'retry-after': String(reset) }),
			},
			body: isAllowed ? { success: true } : { error: 'Rate limit exceeded' },
		};
	}

	private async pause(): Promise<void> {
		const milliseconds = this.options.latency?.() ?? 5;
		if (milliseconds > 0) await this.clock.sleep(milliseconds);
	}
}
