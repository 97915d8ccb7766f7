import { probeStore } from '../store/probe.ts';
import type { Context } from './context.ts';

/** How long the store may take to answer before it counts as not answering. */
const PROBE_LIMIT_MS = 1_500;

/** Everybody who asks within this time of a probe shares its result: anybody may ask, and a probe writes. */
const SHARED_MS = 1_000;

/**
 * What must fit on the disk after a request found no room: more than most requests need. The few bytes
 * of an ordinary probe may fit where no request does.
 */
const ROOM_BYTES = 256 * 1_024;

interface Readiness {
	/** The newest result. */
	last?: { at: number; done: Promise<void> };
	/** A probe that the store has not answered yet: further ones would only queue up behind it. */
	writing?: Promise<void>;
	/** A request was refused since the last probe that found room. */
	isInDoubt: boolean;
}

const readiness = new WeakMap<Context, Readiness>();

function readinessOf(context: Context): Readiness {
	const known = readiness.get(context) ?? { isInDoubt: false };
	readiness.set(context, known);
	return known;
}

/** The store has failed a request: the next answer is not to be what an earlier probe found. */
export function doubtReadiness(context: Context): void {
	const state = readinessOf(context);
	state.isInDoubt = true;
	delete state.last;
}

/** @throws whatever the store says when it does not answer, or takes no writes */
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
