import { PREPARED } from './prepared.ts';

/** Thrown where a test wants what the packed program does not give: its run leaves the test out, and says why. */
export class LeftOut extends Error {
	override readonly name = 'LeftOut';
	/** Such as `a clock to move`. */
	readonly needs: string;

	constructor(needs: string) {
		super(`The packed program does not give a test ${needs}.`);
		this.needs = needs;
	}
}

/**
 * Leaves the test out in a run on the packed program: of a part of the source that the test builds
 * itself, or of what it changes in the process that it shares with the source.
 */
export function leaveOutOfPacked(needs: string): void {
	if (PREPARED !== undefined) throw new LeftOut(needs);
}
