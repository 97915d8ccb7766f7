import { activityExpiry } from '../../src/service/activities/requests.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import { settleDue } from './later.ts';
import type { TestServer } from './server.ts';
import {
	type ChangeById,
	refusedAs,
	type StreamAnswer,
	type StreamService,
} from './stream-service.ts';
import type { Change } from './stream-model.ts';

/** Streams through the API of a server, with its store. */
export class ApiStreams implements StreamService {
	readonly #server: TestServer;
	readonly #accountId: string;
	readonly #key: string;

	constructor(server: TestServer, { accountId, key }: { accountId: string; key: string }) {
		this.#server = server;
		this.#accountId = accountId;
		this.#key = key;
	}

	put(key: string, change: Change): Promise<StreamAnswer> {
		return this.#call('PUT', `stream/${key}`, change);
	}

	delete(key: string, change: Partial<Change>): Promise<StreamAnswer> {
		return this.#call('DELETE', `stream/${key}`, change);
	}

	changeById(verb: 'update' | 'end', change: ChangeById): Promise<StreamAnswer> {
		return this.#call('POST', verb, change);
	}

	pause(key: string): Promise<boolean> {
		return pauseStream(this.#server.context, this.#accountId, key).then(
			() => true,
			refusedAs(false),
		);
	}

	async resume(key: string): Promise<{ started: string | null } | undefined> {
		const { context } = this.#server;
		const isStarted = await resumeStream(context, this.#accountId, key).catch(refusedAs(undefined));
		if (!isStarted) return isStarted === undefined ? undefined : { started: null };
		const stream = await context.database.read
			.selectFrom('streams')
			.select('activity_id')
			.where('account_id', '=', this.#accountId)
			.where('stream_key', '=', key)
			.executeTakeFirstOrThrow();
		return { started: stream.activity_id };
	}

	async expire(): Promise<void> {
		await settleDue(this.#server.context, activityExpiry);
	}

	wait(seconds: number): number {
		this.#server.clock.advance(seconds);
		return this.#server.clock.now;
	}

	running(): Promise<Array<{ id: string; stream_key: string | null }>> {
		return this.#server.context.database.read
			.selectFrom('activities')
			.select(['id', 'stream_key'])
			.where('account_id', '=', this.#accountId)
			.where('ended_at', 'is', null)
			.execute();
	}

	#call(method: 'PUT' | 'DELETE' | 'POST', path: string, body: unknown): Promise<StreamAnswer> {
		return this.#server.call(method, `/live-activity/${path}`, body, { key: this.#key });
	}
}
