import type { Context } from '../context.ts';
import type { Decision } from '../../store/engine/sets.ts';
import { decision, inSets } from '../in-sets.ts';
import type { Board } from './board.ts';
import { type Concern, loadBoard } from './load-board.ts';
import { storeBoard } from './store-board.ts';

interface Asked<A> {
	concern: Concern;
	/** Decides it on the board as earlier requests left it; a rejection leaves the board unchanged. */
	decide: (board: Board) => A;
}

/**
 * Decides and stores a push, a badge, or a request about streams or Live Activities. All that wait at the same
 * time form one set, whatever their kind: those of an account keep their order.
 * @returns its answer, once the set is durably committed
 * @throws what `decide` throws, without storing anything
 */
export function onBoard<A>(
	context: Context,
	concern: Concern,
	decide: (board: Board) => A,
): Promise<A> {
	return decideInSet(context, concern.accountId, { concern, decide }) as Promise<A>;
}

const decideInSet = inSets<Asked<unknown>, unknown>(async (db, context, asked) => {
	const concerns = asked.map(({ concern }) => concern);
	const board = await loadBoard(db, context, concerns);
	const decisions = decideInTurn(board, asked);
	await storeBoard(db, board);
	return decisions;
});

/** Deliveries after which a set decides no more requests: storing them takes up to half a second. */
const ENOUGH_DELIVERIES = 20_000;

/**
 * Decides the requests of a set until they have made enough deliveries for one transaction. The others have no
 * decision, and go into the next set.
 */
export function decideInTurn<B extends Pick<Board, 'outgoing'>, A>(
	board: B,
	asked: ReadonlyArray<{ decide: (board: B) => A }>,
): Array<Decision<A>> {
	const decisions: Array<Decision<A>> = [];
	let [made, counted] = [0, 0];
	for (const { decide } of asked) {
		for (const { deliveries } of board.outgoing.slice(counted)) made += deliveries.length;
		if (made >= ENOUGH_DELIVERIES) break;
		counted = board.outgoing.length;
		decisions.push(decision(() => decide(board)));
	}
	return decisions;
}
