import { probeStore } from '../../store/server-state.ts';
import type { Database } from '../../store/database.ts';
import { isDoneWithin } from '../../durations.ts';

/** Time that the store has to respond to a probe. */
const PROBE_TIMEOUT_MS = 1_500;

/** Time for which the result of a probe is shared: the endpoint is public, and a probe writes. */
const SHARED_MS = 1_000;

/**
 * Bytes that must fit on the disk after a request found no room: more than most requests need. An ordinary
 * probe is so small that it may fit where no request does.
 */
const ROOM_BYTES = 256 * 1_024;

/** Checks whether the store responds and accepts writes, with one probe for everyone who asks. */
export class Readiness {
	readonly #database: Database;
	/** The newest result. */
	#last: { at: number; done: Promise<void> } | undefined;
	/** The probe in progress; more of them would only queue up behind it. */
	#writing: Promise<void> | undefined;
	/** True if a request was refused since the last probe that found room. */
	#isInDoubt = false;

	constructor(database: Database) {
		this.#database = database;
	}

	/** Discards the result of the last probe after the store has failed a request. */
	doubt(): void {
		this.#isInDoubt = true;
		this.#last = undefined;
	}

	/** @throws the store's error when it does not answer or rejects writes */
	check(): Promise<void> {
		if (this.#last && performance.now() - this.#last.at < SHARED_MS) return this.#last.done;
		this.#writing ??= this.#probe().finally(() => (this.#writing = undefined));
		const done = inTime(this.#writing);
		this.#last = { at: performance.now(), done };
		return done;
	}

	async #probe(): Promise<void> {
		const wasInDoubt = this.#isInDoubt;
		await probeStore(this.#database, wasInDoubt ? ROOM_BYTES : undefined);
		if (wasInDoubt) this.#isInDoubt = false;
	}
}

async function inTime(probe: Promise<void>) {
	if (!(await isDoneWithin(PROBE_TIMEOUT_MS, probe)))
		throw new Error(`The store has not answered for ${PROBE_TIMEOUT_MS} ms`);
}
