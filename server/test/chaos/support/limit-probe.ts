import { expect } from '@jest/globals';

/** Sends requests until an allowance is used up, and keeps what each answer said of it. */
export class LimitProbe {
	/** The rest of the allowance after each request that was answered 200. */
	readonly remaining: number[] = [];
	refused = 0;
	unanswered = 0;
	readonly #policy: string;

	/** @param policy the allowance's name in the RateLimit header */
	constructor(policy: string) {
		this.#policy = policy;
	}

	/** @returns the status; undefined without an answer */
	async ask(send: () => Promise<Response>): Promise<number | undefined> {
		try {
			const answer = await send();
			await answer.text();
			if (answer.status === 429) this.refused += 1;
			else if (answer.status === 200) this.remaining.push(this.#remainingIn(answer));
			else this.unanswered += 1;
			return answer.status;
		} catch {
			this.unanswered += 1;
			return undefined;
		}
	}

	#remainingIn(answer: Response): number {
		const header = answer.headers.get('ratelimit') ?? '';
		const remaining = new RegExp(`"${this.#policy}";r=(\\d+)`).exec(header)?.[1];
		if (remaining === undefined) throw new Error(`No ${this.#policy} in the header ${header}`);
		return Number(remaining);
	}

	/** Checks that every counted request took a different place in the window, none beyond the last. */
	holdLimit(allowance: number): void {
		const places = this.remaining;
		expect(new Set(places).size).toBe(places.length);
		expect(places.length).toBeLessThanOrEqual(allowance);
		// Some answers were lost with their servers, but nobody was refused before the allowance was used up.
		expect(places.length + this.unanswered).toBeGreaterThanOrEqual(allowance);
	}
}
