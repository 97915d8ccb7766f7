import type { Answer } from '../answer';

/** The service's allowance is used up for longer than the user is willing to wait. */
export class AllowanceUsedUp extends Error {
	/** The service's refusal; undefined if the wait was known before sending. */
	readonly answer: Answer | undefined;

	/** Milliseconds until the allowance returns. */
	readonly returnsIn: number;

	readonly returnsAt: Date;

	/**
	 * @param policies names of the used-up policies
	 * @param returnsAt milliseconds since the epoch
	 */
	constructor(policies: readonly string[], returnsAt: number, now: number, answer?: Answer) {
		const whose = policies.length > 0 ? ` of ${policies.join(' and ')}` : '';
		super(`The allowance${whose} is used up.`);
		this.answer = answer;
		this.returnsIn = returnsAt - now;
		this.returnsAt = new Date(returnsAt);
	}
}
