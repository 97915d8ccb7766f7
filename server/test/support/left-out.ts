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

/** For the `beforeEach` of a test that builds a part of the source itself, which the packed program would not be in. */
export function leaveOutOfPacked(needs: string): void {
	if (PREPARED !== undefined) throw new LeftOut(needs);
}
