import type { World } from './world.ts';

/** Further deliveries of a repeated push. */
export const REPEATED = 3;

/** A sender's record of what was answered: a 200 is a promise to check on the phones. */
export class Sender {
	readonly pushes: string[] = [];
	/** By repeat: how it may have ended. */
	readonly repeats = new Map<string, string[]>();
	lastBadge: number | undefined;
	/** By activity: the last percentage answered, and whether its end was answered. */
	readonly activities = new Map<string, { percentage: number; hasEnded: boolean }>();
	answered = 0;
	/** Answers that an earlier request got, or would have got. */
	replayed = 0;
	/** Requests without an answer, because the server was killed. */
	unanswered = 0;
	readonly #world: World;
	readonly #name: string;
	#counter = 0;

	constructor(world: World, name: string) {
		this.#world = world;
		this.#name = name;
	}

	async push(): Promise<void> {
		const title = `${this.#name} ${(this.#counter += 1)}`;
		if (await this.#call('POST', '/push-notification', { title })) this.pushes.push(title);
	}

	/** Sends a push, and repeats it with its key until it is answered with 200. */
	async pushOnce(): Promise<void> {
		const title = `${this.#name} ${(this.#counter += 1)}`;
		const headers = { 'idempotency-key': `"${title}"` };
		while (!(await this.#call('POST', '/push-notification', { title }, headers)));
		this.pushes.push(title);
	}

	/** Sends a push that comes again; every fourth is stopped. */
	async repeat(): Promise<void> {
		const number = (this.#counter += 1);
		const title = `${this.#name} ${number}`;
		const body = { push: { title }, repeat: { every_minutes: 1, times: REPEATED } };
		const answer = await this.#call('POST', '/push-notification/repeated', body);
		if (!answer) return;
		this.pushes.push(title);
		const id: string = answer['repeat_id'];
		this.repeats.set(id, ['finished']);
		if (number % 4 !== 0) return;
		const stopped = await this.#call('DELETE', `/push-notification/repeated/${id}`, {});
		// Without an answer, it may have been stopped or not.
		this.repeats.set(id, stopped ? [stopped['outcome']] : ['stopped', 'finished']);
	}

	async badge(): Promise<void> {
		const badge = (this.#counter += 1);
		// Unknown until answered: a request without an answer may have set it.
		this.lastBadge = undefined;
		if (await this.#call('POST', '/badge', { badge })) this.lastBadge = badge;
	}

	/** Sends the stream's next state; the percentage grows, to make the order visible. */
	async update(streamKey: string): Promise<void> {
		const percentage = ((this.#counter += 1) % 1_000_000) / 10_000;
		const body = { content_state: { type: 'progress', title: streamKey, percentage } };
		const answer = await this.#call('PUT', `/live-activity/stream/${streamKey}`, body);
		if (answer) this.activities.set(answer['activity_id'], { percentage, hasEnded: false });
	}

	async end(streamKey: string): Promise<void> {
		const answer = await this.#call('DELETE', `/live-activity/stream/${streamKey}`, {});
		const activity = answer && this.activities.get(answer['activity_id']);
		if (activity) activity.hasEnded = true;
	}

	/** @returns the answer's body; undefined without an answer, or if it was not 200 */
	async #call(method: string, path: string, body: object, headers: object = {}): Promise<any> {
		try {
			const answer = await fetch(`${this.#world.url}/api${path}`, {
				method,
				headers: {
					authorization: `Bearer ${this.#world.key}`,
					'content-type': 'application/json',
					...headers,
				},
				body: JSON.stringify(body),
				signal: AbortSignal.timeout(20_000),
			});
			const read = await answer.json();
			if (answer.status !== 200) return undefined;
			this.answered += 1;
			if (answer.headers.get('beckon-idempotency') === 'replayed') this.replayed += 1;
			return read;
		} catch {
			this.unanswered += 1;
			await new Promise((resolve) => setTimeout(resolve, 20));
			return undefined;
		}
	}
}
