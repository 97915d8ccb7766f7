import {
	endRequest,
	streamDeleteRequest,
	streamPutRequest,
	updateRequest,
} from '../../src/contract/live-activities.ts';
import { ACTIVITY_LIFETIME_MS } from '../../src/durations.ts';
import { Board, type LiveActivity } from '../../src/service/sending/board.ts';
import { toContent } from '../../src/service/shown/content.ts';
import {
	changeIn,
	decideEnd,
	decideExpiry,
	decideUpdate,
} from '../../src/service/activities/decisions.ts';
import type { ActivityMessage } from '../../src/service/activities/lifecycle.ts';
import { Refusal } from '../../src/service/refusal.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import {
	decideDelete,
	decidePause,
	decidePut,
	decideResume,
} from '../../src/service/streams/decisions.ts';
import type { StreamRow } from '../../src/store/schema.ts';
import { caller, NOW, settings } from './decisions.ts';
import type { Change } from './stream-model.ts';
import {
	type ChangeById,
	refusedAs,
	type StreamAnswer,
	type StreamService,
} from './stream-service.ts';

const ROTATION_AGE_MS = 27_900 * 1_000;

const STATUS: Partial<Record<Refusal['kind'], number>> = { invalid: 400, not_found: 404 };

/** Streams by the decide functions alone: rows and activities in memory, no store and no server. */
export class DecidedStreams implements StreamService {
	readonly #sender: SendingAccount;
	readonly #streams = new Map<string, StreamRow>();
	readonly #activities = new Map<string, LiveActivity>();
	#now = NOW;

	constructor(sender: SendingAccount) {
		this.#sender = sender;
	}

	put(key: string, { channels, ...body }: Change): Promise<StreamAnswer> {
		return this.#answer((board) => {
			const change = changeIn(read(streamPutRequest, body));
			const { applied } = decidePut(board, {
				...{ caller: caller(), streamKey: key, path: undefined, change },
				channels,
			});
			const { operation, activity, previous, messages } = applied;
			return {
				operation,
				activity_id: activity?.id ?? null,
				previous_activity_id: previous?.id,
				devices_notified: devicesOf(messages.at(-1)),
			};
		});
	}

	delete(key: string, body: Partial<Change>): Promise<StreamAnswer> {
		return this.#answer((board) => {
			const change = changeIn(read(streamDeleteRequest, body));
			const ended = decideDelete(board, { caller: caller(), streamKey: key, change });
			return {
				operation: 'ended',
				activity_id: ended?.activity.id ?? null,
				devices_notified: devicesOf(ended),
			};
		});
	}

	changeById(verb: 'update' | 'end', body: ChangeById): Promise<StreamAnswer> {
		return this.#answer((board) => {
			const change = changeIn(read(verb === 'end' ? endRequest : updateRequest, body));
			const asked = { caller: caller(), id: body.activity_id, change };
			const message = (verb === 'end' ? decideEnd : decideUpdate)(board, asked);
			return { activity_id: body.activity_id, devices_notified: devicesOf(message) };
		});
	}

	pause(key: string): Promise<boolean> {
		return this.#decide((board) => decidePause(board, 'acc', key)).then(
			() => true,
			refusedAs(false),
		);
	}

	resume(key: string): Promise<{ started: string | null } | undefined> {
		return this.#decide((board) => decideResume(board, 'acc', key)).then(
			(applied) => ({ started: applied?.activity?.id ?? null }),
			refusedAs(undefined),
		);
	}

	async expire(): Promise<void> {
		const outlived = [...this.#activities.values()].filter(
			({ row }) => row.ended_at === null && row.started_at <= this.#now - ACTIVITY_LIFETIME_MS,
		);
		await this.#decide((board) =>
			decideExpiry(
				board,
				outlived.map(({ row }) => row.id),
			),
		);
	}

	wait(seconds: number): number {
		this.#now += seconds * 1_000;
		return this.#now;
	}

	running(): Promise<Array<{ id: string; stream_key: string | null }>> {
		const rows = [...this.#activities.values()].map(({ row }) => row);
		return Promise.resolve(rows.filter(({ ended_at: end }) => end === null));
	}

	async #answer(decide: (board: Board) => Record<string, unknown>): Promise<StreamAnswer> {
		try {
			return { status: 200, body: await this.#decide(decide) };
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			return { status: STATUS[error.kind] ?? 500, body: { message: error.message } };
		}
	}

	/** Decides one request on the board that the earlier ones have left, read back from its columns. */
	async #decide<A>(decide: (board: Board) => A): Promise<A> {
		const activities = [...this.#activities.values()].map((one) => ({
			...one,
			content: toContent(one.row),
		}));
		const board = new Board(
			{
				senders: new Map([['acc', this.#sender]]),
				streams: [...this.#streams.values()],
				activities,
				running: this.#runningByDevice(),
			},
			{ settings: { ...settings, rotationAgeMs: ROTATION_AGE_MS }, now: this.#now },
		);
		const decided = await Promise.resolve(decide(board));
		for (const activity of board.changed) this.#activities.set(activity.row.id, activity);
		for (const [name, { row }] of board.changedStreams) {
			if (row) this.#streams.set(name, row);
			else this.#streams.delete(name);
		}
		return decided;
	}

	#runningByDevice(): Map<string, number> {
		const running = [...this.#activities.values()].filter(
			({ row }) => row.ended_at === null && row.started_at > this.#now - ACTIVITY_LIFETIME_MS,
		);
		const ids = running.flatMap(({ devices }) => devices.map(({ id }) => id));
		return new Map([...Map.groupBy(ids, (id) => id)].map(([id, some]) => [id, some.length]));
	}
}

/** Reads a body as its route does. @throws Refusal `invalid` */
function read<T>(
	schema: { safeParse: (body: unknown) => { success: boolean; data?: T; error?: Error } },
	body: object,
): T {
	const { success, data, error } = schema.safeParse(JSON.parse(JSON.stringify(body)));
	if (!success) throw new Refusal('invalid', 'Invalid request', error?.message ?? '');
	return data as T;
}

function devicesOf(message: ActivityMessage | undefined): number {
	return message?.recipients.length ?? 0;
}
