import { PREPARED } from './prepared.ts';

/** Thrown if a test needs something the packed program lacks: its run leaves the test out, and says why. */
export class LeftOut extends Error {
	override readonly name = 'LeftOut';
	/** The missing thing, such as `a clock to move`. */
	readonly needs: string;

	constructor(needs: string) {
		super(`The packed program does not give a test ${needs}.`);
		this.needs = needs;
	}
}

/**
 * Leaves the test out in a run on the packed program: it tests source parts that it builds itself, or
 * changes the process that it shares with the source.
 */
export function leaveOutOfPacked(needs: string): void {
	if (PREPARED !== undefined) throw new LeftOut(needs);
}
