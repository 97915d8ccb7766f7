import type { Context } from '../context.ts';
import { decideInTurn, inSets } from '../in-sets.ts';
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
	const board = await loadBoard(
		db,
		context,
		asked.map(({ concern }) => concern),
	);
	let counted = 0;
	const decisions = decideInTurn(
		asked,
		({ decide }) => decide(board),
		() => {
			const made = board.outgoing.slice(counted);
			counted = board.outgoing.length;
			return made;
		},
	);
	await storeBoard(db, board);
	return decisions;
});
