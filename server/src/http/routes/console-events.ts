import { setTimeout } from 'node:timers/promises';
import { isSignedIn, type SignedIn } from '../../service/people/sessions.ts';
import type { Context } from '../../service/context.ts';
import type { EventFeed, EventStream } from '../sse.ts';

/**
 * Longest silence in milliseconds. The heartbeat also makes a page refresh, which catches changes that no request
 * announced, such as a delivery that succeeded on a later attempt.
 */
const HEARTBEAT_MS = 15_000;

/** Changes within this time count as one: a page refreshes at most this often, however much is sent. */
const GATHER_MS = 400;

const CHANGED = 'event: changed\ndata: {}\n\n';

/** Workflows sent or phones reported something; names, members and keys are unchanged. */
const TRAFFIC = 'event: changed\ndata: {"only":"traffic"}\n\n';

export const CONSOLE_STREAMS = { silenceMs: HEARTBEAT_MS, askAfterMs: HEARTBEAT_MS };

/** Signals to the page when to refresh. The events have no content, so nothing can leak or be missed. */
export class ConsoleEvents implements EventFeed {
	readonly #context: Context;
	readonly #signedIn: SignedIn;
	#unwatch: (() => void) | undefined;
	/** True: only traffic since the last event; undefined: nothing, so the heartbeat refreshes everything. */
	#isTraffic: boolean | undefined;

	constructor(context: Context, signedIn: SignedIn) {
		this.#context = context;
		this.#signedIn = signedIn;
	}

	async writeNews(stream: EventStream): Promise<boolean> {
		this.#unwatch ??= this.#context.openPages.watch(this.#signedIn.accountId, (change) => {
			this.#isTraffic = change === 'traffic' && this.#isTraffic !== false;
			stream.wake();
		});
		if (!(await isSignedIn(this.#context, this.#signedIn))) return false;
		const isTraffic = this.#isTraffic === true;
		this.#isTraffic = undefined;
		await stream.write(isTraffic ? TRAFFIC : CHANGED);
		stream.yieldTurn();
		await setTimeout(GATHER_MS);
		return true;
	}

	closed(): void {
		this.#unwatch?.();
	}
}
