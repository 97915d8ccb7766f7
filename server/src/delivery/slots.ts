/** Jobs of one group, first come, first served; `shift` of a long array would copy it each time. */
interface Queue {
	jobs: Array<() => void>;
	next: number;
}

/**
 * Lets a bounded number of jobs run at a time. The groups that wait take turns: a single job does
 * not wait for the ten thousand of another group.
 */
export class Slots {
	#free: number;
	readonly #waiting = new Map<number, Queue>();

	constructor(count: number) {
		this.#free = count;
	}

	/** Runs `job` now or, with no slot free, when its turn comes; it gives its slot back at its end. */
	take(group: number, job: () => void): void {
		if (this.#free > 0) {
			this.#free -= 1;
			job();
			return;
		}
		const queue = this.#waiting.get(group);
		if (queue) queue.jobs.push(job);
		else this.#waiting.set(group, { jobs: [job], next: 0 });
	}

	give(): void {
		const [first] = this.#waiting;
		if (!first) {
			this.#free += 1;
			return;
		}
		const [group, queue] = first;
		const job = queue.jobs[queue.next];
		queue.next += 1;
		const isEmpty = queue.next === queue.jobs.length;
		if (isEmpty || this.#waiting.size > 1) this.#waiting.delete(group);
		// To the end of the round.
		if (!isEmpty && !this.#waiting.has(group)) this.#waiting.set(group, queue);
		job?.();
	}
}
