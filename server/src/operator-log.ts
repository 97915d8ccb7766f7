import type { Logger } from 'pino';
import type { CallbackState } from './contract/questions.ts';
import { BoundedMap } from './collections.ts';
import { isSuccess, type Outcome } from './delivery/gateway.ts';
import { HOUR_MS, MINUTE_MS } from './durations.ts';
import { throttled, withoutSecrets } from './log.ts';

/** Consecutive failures that count as an outage: one may concern only a single phone or workflow. */
const FAILURES = 3;

/** Client addresses whose refused keys are counted, and reasons of push services. */
const MAX_COUNTED = 1_000;

/** What the server does on its own. */
type Part = 'backing up' | 'keeping room on the disk' | 'telling BECKON_ALERT_ACCOUNT';

type Ended = Exclude<CallbackState, 'none' | 'pending'>;

interface Trouble {
	/** In the log, with these labels. */
	name: string;
	labels: object;
	reason: string | number;
	failures: number;
	/** Failures in a row after which it counts as failing. */
	after: number;
	/** Time of the first failure, on the monotonic clock. */
	since: number;
	isReported?: true;
}

interface Attempt {
	gateway: string;
	outcome: Outcome;
	/** The id of the phone. */
	phone: string;
}

/**
 * Logs what an operator has to act on, once for each change: at `info` and above, without content,
 * tokens or URLs (docs/operations.md, "Logs").
 */
export class OperatorLog {
	readonly #logger: Logger;
	readonly #elapsed: () => number;
	/** By part, or the name of the push service. */
	readonly #troubles = new Map<string, Trouble>();
	/** Sentences for owners. */
	#news: string[] = [];
	readonly #repeated = new BoundedMap<string, () => void>(MAX_COUNTED);
	#sums: Record<string, number> = {};
	/** Push services by the phones that their last attempt did not reach. */
	readonly #unreached = new BoundedMap<string, string>(MAX_COUNTED);

	/** @param elapsed milliseconds of a monotonic clock */
	constructor(logger: Logger, elapsed = () => performance.now()) {
		this.#logger = logger;
		this.#elapsed = elapsed;
	}

	/** After each attempt to deliver. */
	attempted({ gateway, outcome, phone }: Attempt): void {
		this.#count(`${gateway} ${outcome.kind}`);
		const service = `push service ${gateway}`;
		this.#unreached.delete(phone);
		if (isSuccess(outcome)) return this.works(service);
		const { kind, reason } = outcome;
		const isFailure = kind === 'retry' && !outcome.isUnsubscribed;
		if (kind === 'refused' || isFailure) this.#unreached.set(phone, gateway);
		if (kind === 'gone') this.#logger.info({ gateway, phone, reason }, 'phone disconnected');
		if (isFailure) this.#fails(service, reason, FAILURES, 'push service', { gateway });
		if (kind === 'refused')
			this.#seldom(`${gateway} ${reason}`, HOUR_MS, (times) =>
				this.#logger.warn({ gateway, times, reason }, 'push service refuses pushes'),
			);
	}

	/** After each callback. @param answer the status, or why there is none */
	calledBack(question: string, answer: string | number, end: Ended | 'again'): void {
		this.#count(`callbacks ${end}`);
		if (end === 'delivered' || end === 'over') this.works('calling back');
		else this.#fails('calling back', answer, FAILURES);
		if (end === 'refused') this.#logger.warn({ question, answer }, 'callback given up');
	}

	/** A request came with a key that is not valid: for programs such as fail2ban. */
	keyRefused(address: string): void {
		this.#count('keys refused');
		this.#seldom(address, MINUTE_MS, (times) =>
			this.#logger.info({ address, times }, 'key refused'),
		);
	}

	/** Does work of the server itself, and logs when it begins to fail and when it works again. */
	async watch(part: Part, work: () => Promise<unknown>): Promise<void> {
		try {
			await work();
			this.works(part);
		} catch (error) {
			this.#fails(part, error instanceof Error ? error.message : String(error), 1);
		}
	}

	#fails(key: string, reason: string | number, after: number, name = key, labels = {}): void {
		const earlier = this.#troubles.get(key);
		const failures = (earlier?.failures ?? 0) + 1;
		const trouble = { since: this.#elapsed(), ...earlier, name, labels, reason, failures, after };
		this.#troubles.set(key, trouble);
		if (failures === after) this.#logger.warn({ ...labels, reason }, `${name} fails`);
	}

	/** @param key a part, or `push service GATEWAY` */
	works(key: string): void {
		const trouble = this.#troubles.get(key);
		if (!trouble) return;
		this.#troubles.delete(key);
		const { failures, after, labels, name } = trouble;
		if (failures >= after) this.#logger.info(labels, `${name} works again`);
		if (trouble.isReported) this.#news.push(`Works again: ${key}.`);
	}

	/** For everything that is failing now, the seconds since its first failure. */
	failing(): Record<string, number> {
		const troubles = [...this.#troubles].filter(([, { failures, after }]) => failures >= after);
		const seconds = (since: number) => (this.#elapsed() - since) / 1_000;
		return Object.fromEntries(troubles.map(([key, { since }]) => [key, seconds(since)]));
	}

	/** How many phones the last attempt did not reach, by push service; at most a thousand. */
	unreached(): Record<string, number> {
		const counts: Record<string, number> = {};
		for (const gateway of this.#unreached.values()) counts[gateway] = (counts[gateway] ?? 0) + 1;
		return counts;
	}

	/** Sentences, each returned once, about what has failed for an hour, or works again after that. */
	takeAlerts(): string[] {
		for (const [key, seconds] of Object.entries(this.failing())) {
			const trouble = this.#troubles.get(key);
			if (!trouble || trouble.isReported || seconds * 1_000 < HOUR_MS) continue;
			trouble.isReported = true;
			const reason = withoutSecrets(String(trouble.reason));
			this.#news.push(`Has failed for an hour: ${key}. The reason: ${reason}.`);
		}
		const news = this.#news;
		this.#news = [];
		return news;
	}

	/** Logs what was counted since the last time, if anything. */
	logSums(): void {
		if (Object.keys(this.#sums).length > 0) this.#logger.info(this.#sums, 'in the last hour');
		this.#sums = {};
	}

	#count(what: string): void {
		this.#sums[what] = (this.#sums[what] ?? 0) + 1;
	}

	#seldom(what: string, everyMs: number, report: (times: number) => void): void {
		this.#repeated.getOr(what, () => throttled(report, everyMs, this.#elapsed))();
	}
}
