import { probeStore } from '../store/probe.ts';
import type { Context } from './context.ts';

/** How long the store may take to answer before it counts as not answering. */
const PROBE_LIMIT_MS = 2_000;

/** Whoever asks within this time of a probe shares its result: anybody may ask, and a probe writes. */
const SHARED_MS = 1_000;

interface Probe {
	at: number;
	done: Promise<void>;
}

const probes = new WeakMap<Context, Probe>();

/** @throws whatever the store says when it does not answer, or takes no writes */
export function checkReadiness(context: Context): Promise<void> {
	const last = probes.get(context);
	if (last && performance.now() - last.at < SHARED_MS) return last.done;
	const done = probe(context);
	probes.set(context, { at: performance.now(), done });
	return done;
}

async function probe(context: Context): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const timeUp = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => reject(new Error(`The store has not answered for ${PROBE_LIMIT_MS} ms`)),
			PROBE_LIMIT_MS,
		);
	});
	try {
		await Promise.race([probeStore(context.database), timeUp]);
	} finally {
		clearTimeout(timer);
	}
}
