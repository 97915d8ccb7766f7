import type { Cancellation } from '../cancellation';
import type { Answer } from '../answer';

/** One run of a node: the state that its items share. */
export interface Run {
	cancellation: Cancellation;
	/** Its unanswered requests. */
	inFlight: number;
	/** Milliseconds for which its requests were held back until an allowance returned. */
	waited: number;
	/** The start of the current hold, in milliseconds since the epoch. */
	heldSince?: number | undefined;
	/** When the server became unreachable, or stopped storing, in milliseconds since the epoch. */
	awaySince?: number | undefined;
}

/** A request that waits for its turn. */
export interface Waiting {
	run: Run;
	/** The order of arrival; a refused request keeps it while it waits again. */
	ticket: number;
	/** The number of requests of its run that may be under way at once. */
	parallel: number;
	/** Milliseconds since the epoch, after which the request fails instead of waiting. */
	deadline: number;
	/** The service's last refusal for the request rate. */
	refusal?: Answer;
	start: () => void;
	fail: (error: Error) => void;
}

/** Waiting requests: in order within a run, with the runs taking turns. */
export class Queue {
	private readonly runs = new Map<Run, Waiting[]>();

	/** No waiting request has an earlier deadline. */
	private earliestDeadline = Infinity;

	get isEmpty(): boolean {
		return this.runs.size === 0;
	}

	add(waiting: Waiting): void {
		this.earliestDeadline = Math.min(this.earliestDeadline, waiting.deadline);
		const ofRun = this.runs.get(waiting.run) ?? [];
		const index = ofRun.findLastIndex(({ ticket }) => ticket < waiting.ticket) + 1;
		ofRun.splice(index, 0, waiting);
		this.runs.set(waiting.run, ofRun);
	}

	/** Takes the next request whose run is below its limit; the run moves to the end. */
	take(): Waiting | undefined {
		for (const [run, [first]] of this.runs) {
			if (first && run.inFlight < first.parallel) {
				const rest = this.runs.get(run);
				rest?.shift();
				this.runs.delete(run);
				if (rest && rest.length > 0) this.runs.set(run, rest);
				return first;
			}
		}
		return undefined;
	}

	/** Marks every run in it as held back from now on. */
	hold(now: number): void {
		for (const run of this.runs.keys()) run.heldSince ??= now;
	}

	/** Takes out all requests of a run. */
	takeRun(run: Run): Waiting[] {
		const ofRun = this.runs.get(run) ?? [];
		this.runs.delete(run);
		return ofRun;
	}

	/** Takes out all requests whose deadline is before this time. */
	takeLate(time: number): Waiting[] {
		if (time <= this.earliestDeadline) return [];
		const all = [...this.runs.values()].flat();
		this.runs.clear();
		this.earliestDeadline = Infinity;
		for (const waiting of all) if (waiting.deadline >= time) this.add(waiting);
		return all.filter(({ deadline }) => deadline < time);
	}
}
