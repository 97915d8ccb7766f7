import { probeStore } from '../../store/health.ts';
import type { Context } from '../context.ts';

/** Time allowed for the store to answer a probe. */
const PROBE_LIMIT_MS = 1_500;

/** Time for which the result of a probe is shared: the endpoint is public, and a probe writes. */
const SHARED_MS = 1_000;

/**
 * Bytes that must fit on the disk after a request found no room: more than most requests need. An ordinary
 * probe is so small that it may fit where no request does.
 */
const ROOM_BYTES = 256 * 1_024;

interface Readiness {
	/** The newest result. */
	last?: { at: number; done: Promise<void> };
	/** The probe in progress; more of them would only queue up behind it. */
	writing?: Promise<void>;
	/** True if a request was refused since the last probe that found room. */
	isInDoubt: boolean;
}

const readiness = new WeakMap<Context, Readiness>();

function readinessOf(context: Context): Readiness {
	const known = readiness.get(context) ?? { isInDoubt: false };
	readiness.set(context, known);
	return known;
}

/** Discards the result of the last probe after the store has failed a request. */
export function doubtReadiness(context: Context): void {
	const state = readinessOf(context);
	state.isInDoubt = true;
	delete state.last;
}

/** @throws the store's error when it does not answer or takes no writes */
export function checkReadiness(context: Context): Promise<void> {
	const state = readinessOf(context);
	if (state.last && performance.now() - state.last.at < SHARED_MS) return state.last.done;
	state.writing ??= probe(context, state);
	const done = inTime(state.writing);
	state.last = { at: performance.now(), done };
	return done;
}

async function probe(context: Context, state: Readiness): Promise<void> {
	const wasInDoubt = state.isInDoubt;
	try {
		await probeStore(context.database, wasInDoubt ? ROOM_BYTES : undefined);
		if (wasInDoubt) state.isInDoubt = false;
	} finally {
		delete state.writing;
	}
}

async function inTime(probe: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const timeUp = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => reject(new Error(`The store has not answered for ${PROBE_LIMIT_MS} ms`)),
			PROBE_LIMIT_MS,
		);
	});
	try {
		await Promise.race([probe, timeUp]);
	} finally {
		clearTimeout(timer);
	}
}
