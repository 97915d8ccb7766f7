import type { Logger } from 'pino';
import { BoundedMap } from './collections.ts';
import { isTaken, type Outcome } from './delivery/gateway.ts';
import { HOUR_MS, MINUTE_MS } from './durations.ts';
import { sometimes, withoutSecrets } from './log.ts';

/** Failures in a row after which something counts as failing: one may be that of a single phone or workflow. */
const FAILURES = 3;

/** Client addresses whose refused keys are counted, and reasons of push services. */
const MOST_COUNTED = 1_000;

/** Milliseconds for which something has failed until it is told to owners. */
const TOLD_AFTER_MS = HOUR_MS;

/** What may fail: a push service, or this of the server. */
export type Part = 'calling back' | 'backing up' | 'keeping room on the disk';

interface Trouble {
	reason: string | number;
	failures: number;
	/** Failures in a row after which it is one. */
	after: number;
	/** Of the first failure, on the monotonic clock. */
	since: number;
	isTold: boolean;
}

interface Attempted {
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
	/** Troubles that were told, and are over. */
	readonly #over = new Set<string>();
	readonly #refusals = new BoundedMap<string, () => void>(MOST_COUNTED);
	readonly #addresses = new BoundedMap<string, () => void>(MOST_COUNTED);
	#sums: Record<string, number> = {};

	/** @param elapsed milliseconds of a monotonic clock */
	constructor(logger: Logger, elapsed = () => performance.now()) {
		this.#logger = logger;
		this.#elapsed = elapsed;
	}

	/** After each attempt to deliver. */
	attempted({ gateway, outcome, phone }: Attempted): void {
		this.#count(`${gateway} ${outcome.kind}`);
		if (isTaken(outcome)) {
			this.works({ gateway });
			return;
		}
		const { kind, reason } = outcome;
		if (kind === 'gone') this.#logger.info({ gateway, phone, reason }, 'phone disconnected');
		if (kind === 'retry' && !outcome.isUnsubscribed) this.fails({ gateway }, reason, FAILURES);
		if (kind !== 'refused') return;
		this.#refusals.getOr(`${gateway} ${reason}`, () =>
			sometimes(
				(times) => this.#logger.warn({ gateway, times, reason }, 'push service refuses pushes'),
				HOUR_MS,
				this.#elapsed,
			),
		)();
	}

	/** After each callback. @param answer the status, or why there is none */
	calledBack(
		question: string,
		answer: string | number,
		end: 'delivered' | 'over' | 'refused' | 'again',
	): void {
		this.#count(`callbacks ${end}`);
		if (end === 'delivered' || end === 'over') this.works('calling back');
		else this.fails('calling back', answer, FAILURES);
		if (end === 'refused') this.#logger.warn({ question, answer }, 'callback given up');
	}

	/** A request came with a key that is not valid: for programs such as fail2ban. */
	keyRefused(address: string): void {
		this.#count('keys refused');
		this.#addresses.getOr(address, () =>
			sometimes(
				(times) => this.#logger.info({ address, times }, 'key refused'),
				MINUTE_MS,
				this.#elapsed,
			),
		)();
	}

	/** @param after failures in a row before which it may be the fault of one phone or workflow */
	fails(what: Part | { gateway: string }, reason: string | number, after = 1): void {
		const [name, key, labels] = named(what);
		const known = this.#troubles.get(key);
		const failures = (known?.failures ?? 0) + 1;
		const since = known?.since ?? this.#elapsed();
		this.#troubles.set(key, { isTold: false, ...known, reason, failures, after, since });
		if (failures === after) this.#logger.warn({ ...labels, reason }, `${name} fails`);
	}

	works(what: Part | { gateway: string }): void {
		const [name, key, labels] = named(what);
		const known = this.#troubles.get(key);
		if (!known) return;
		this.#troubles.delete(key);
		if (known.failures >= known.after) this.#logger.info(labels, `${name} works again`);
		if (known.isTold) this.#over.add(key);
	}

	/** What now fails, with seconds since its first failure. */
	failing(): Array<[what: string, seconds: number]> {
		return [...this.#troubles]
			.filter(([, { failures, after }]) => failures >= after)
			.map(([key, { since }]) => [key, (this.#elapsed() - since) / 1_000]);
	}

	/** Sentences about what has begun to fail for long, or works again after that; each once. */
	takeNews(): string[] {
		const news = [...this.#over].map((key) => `${capital(key)} works again.`);
		this.#over.clear();
		for (const [key, seconds] of this.failing()) {
			const trouble = this.#troubles.get(key);
			if (!trouble || trouble.isTold || seconds * 1_000 < TOLD_AFTER_MS) continue;
			trouble.isTold = true;
			const reason = withoutSecrets(String(trouble.reason));
			news.push(`${capital(key)} has failed for an hour: ${reason}.`);
		}
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
}

function named(what: Part | { gateway: string }): [name: string, key: string, labels: object] {
	if (typeof what === 'string') return [what, what, {}];
	return ['push service', `push service ${what.gateway}`, what];
}

function capital(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
