/** By iOS's ids of Live Activities, the server's ids of those that each may be. */
export type Candidates = Record<string, string[]>;

/**
 * Narrows down which of the server's activities each one on the lock screen may be, as iOS does not tell. One that can
 * be none of them is left over: its end was lost.
 * @param known from the last time: one that was there before an activity started is another
 */
export function narrow(known: Candidates, onScreen: string[], running: string[]): Candidates {
	return Object.fromEntries(
		onScreen.map((id) => [id, (known[id] ?? running).filter((one) => running.includes(one))]),
	);
}
