import type { World } from './world.ts';

/** What a sender was told is done: an answer 200 is a promise that the phones are held to. */
export class Sender {
	readonly pushes: string[] = [];
	lastBadge: number | undefined;
	/** By activity: the last percentage that was answered, and whether its end was. */
	readonly activities = new Map<string, { percentage: number; hasEnded: boolean }>();
	answered = 0;
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

	async badge(): Promise<void> {
		const badge = (this.#counter += 1);
		// Unknown until answered: a request that got no answer may have set it.
		this.lastBadge = undefined;
		if (await this.#call('POST', '/badge', { badge })) this.lastBadge = badge;
	}

	/** The next state of the stream; the percentage grows, so that the order can be seen. */
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

	/** @returns the answer's body; undefined when there was none, or it was not 200 */
	async #call(method: string, path: string, body: object): Promise<any> {
		try {
			const answer = await fetch(`${this.#world.url}/api${path}`, {
				method,
				headers: {
					authorization: `Bearer ${this.#world.key}`,
					'content-type': 'application/json',
				},
				body: JSON.stringify(body),
				signal: AbortSignal.timeout(20_000),
			});
			const read = await answer.json();
			if (answer.status !== 200) return undefined;
			this.answered += 1;
			return read;
		} catch {
			this.unanswered += 1;
			await new Promise((resolve) => setTimeout(resolve, 20));
			return undefined;
		}
	}
}
