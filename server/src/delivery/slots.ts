/** Lets a bounded number of jobs run at a time; the others wait in the order in which they came. */
export class Slots {
	#free: number;
	readonly #waiting: Array<() => void> = [];

	constructor(count: number) {
		this.#free = count;
	}

	async take(): Promise<void> {
		if (this.#free > 0) this.#free -= 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
	}

	give(): void {
		const next = this.#waiting.shift();
		if (next) next();
		else this.#free += 1;
	}
}
