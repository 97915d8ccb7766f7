import type { Logger } from 'pino';
import { BoundedMap } from './collections.ts';
import { isTaken, type Outcome } from './delivery/gateway.ts';
import { sometimes } from './log.ts';

/** Failures in a row after which a push service counts as failing: one may be that of a single phone. */
const FAILURES = 3;

/** Client addresses whose refused keys are counted, and reasons of push services. */
const MOST_COUNTED = 1_000;

interface Attempted {
	gateway: string;
	outcome: Outcome;
	/** The id of the phone. */
	phone: string;
}

/**
 * Logs what an operator has to act on, once for each change: at `info` and above, without content,
 * tokens or URLs (docs/operations.md "Logs").
 */
export class OperatorLog {
	readonly #logger: Logger;
	/** Failures in a row, by gateway. */
	readonly #failures = new Map<string, number>();
	readonly #refusals = new BoundedMap<string, () => void>(MOST_COUNTED);
	readonly #addresses = new BoundedMap<string, () => void>(MOST_COUNTED);

	constructor(logger: Logger) {
		this.#logger = logger;
	}

	/** After each attempt to deliver. */
	attempted({ gateway, outcome, phone }: Attempted): void {
		const failures = this.#failures.get(gateway) ?? 0;
		if (isTaken(outcome)) {
			if (failures >= FAILURES) this.#logger.info({ gateway }, 'push service works again');
			this.#failures.delete(gateway);
			return;
		}
		const { kind, reason } = outcome;
		if (kind === 'gone') this.#logger.info({ gateway, phone, reason }, 'phone disconnected');
		if (kind === 'retry' && !outcome.isUnsubscribed) {
			this.#failures.set(gateway, failures + 1);
			if (failures + 1 === FAILURES) this.#logger.warn({ gateway, reason }, 'push service fails');
		}
		if (kind !== 'refused') return;
		this.#refusals.getOr(`${gateway} ${reason}`, () =>
			sometimes((times) =>
				this.#logger.warn({ gateway, times, reason }, 'push service refuses pushes'),
			),
		)();
	}

	/** A request came with a key that is not valid: for programs such as fail2ban. */
	keyRefused(address: string): void {
		this.#addresses.getOr(address, () =>
			sometimes((times) => this.#logger.info({ address, times }, 'key refused')),
		)();
	}
}
