/** An answer showing that the request was counted. */
interface Counted {
	/** The rest of the allowance after it. */
	remaining: number;
	status: number;
}

/** Uses up one feature's allowance through every server, and keeps what each answer said of it. */
export class LimitProbe {
	readonly counted: Counted[] = [];
	refused = 0;
	unanswered = 0;
	readonly #send: () => Promise<Response>;

	constructor(send: () => Promise<Response>) {
		this.#send = send;
	}

	async ask(): Promise<void> {
		try {
			const answer = await this.#send();
			await answer.text();
			if (answer.status === 429) this.refused += 1;
			else if (answer.status === 200) {
				this.counted.push({ remaining: remainingIn(answer), status: answer.status });
			} else this.unanswered += 1;
		} catch {
			this.unanswered += 1;
		}
	}
}

/** The rest of the account policy's allowance, from the RateLimit header. */
function remainingIn(answer: Response): number {
	const header = answer.headers.get('ratelimit') ?? '';
	const remaining = /"account:[^"]+";r=(\d+)/.exec(header)?.[1];
	if (remaining === undefined) throw new Error(`No allowance in the header ${header}`);
	return Number(remaining);
}
