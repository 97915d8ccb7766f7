import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { limitRequests, closeWithoutWaiting } from '../../src/http/connections.ts';
import { type EventFeed, type EventStream, EventStreams } from '../../src/http/sse.ts';
import type { TypedApp } from '../../src/http/typed-app.ts';
import { followStream } from '../support/events.ts';
import { waitFor, within } from '../support/wait.ts';

const STREAMS = 100;

/** Streams told at the same time. */
const AT_ONCE = 20;

/** Sources that the server begins to ask in a turn of the event loop. */
const PER_TURN = 2;

/** As long as no test needs a heartbeat. */
const SILENCE_MS = 3_600_000;

describe('the streams of one server', () => {
	let app: TypedApp;
	let open: EventStream[];
	/** Numbers of the streams, in the order they were told. */
	let told: number[];
	/** What a source does once it was asked for news, after a few steps as on the embedded store. */
	let whenTold: (stream: EventStream) => Promise<unknown>;
	let followed: Array<Awaited<ReturnType<typeof followStream>>>;

	class Source implements EventFeed {
		readonly goodbye = 'event: bye\ndata: {}\n\n';
		readonly #number: number;

		constructor(number: number) {
			this.#number = number;
		}

		async writeNews(stream: EventStream): Promise<boolean> {
			open[this.#number] ??= stream;
			told.push(this.#number);
			for (let step = 0; step < 20; step += 1) await Promise.resolve();
			await whenTold(stream);
			return true;
		}

		closed(): void {
			// Nothing to give back.
		}
	}

	beforeEach(async () => {
		open = [];
		told = [];
		whenTold = () => Promise.resolve();
		app = Fastify();
		closeWithoutWaiting(app, limitRequests(app));
		const streams = new EventStreams(app, { silenceMs: SILENCE_MS, askAfterMs: SILENCE_MS });
		let opened = 0;
		app.get('/events', (_request, reply) => {
			opened += 1;
			return streams.open(reply, new Source(opened - 1), `owner ${opened}`);
		});
		const base = await app.listen({ host: '127.0.0.1', port: 0 });
		followed = await Promise.all(
			Array.from({ length: STREAMS }, () => followStream(`${base}/events`, {})),
		);
		await waitFor('the first news of all', () => told.length === STREAMS);
		await nextTurn();
		told = [];
	});
	afterEach(async () => {
		await Promise.all(followed.map((stream) => stream.close()));
		await app.close();
	});

	const wakeAll = () => {
		for (const stream of open) stream.wake();
	};
	const everyone = Array.from({ length: STREAMS }, (_, number) => number);

	it('are told a few in each turn of the event loop, in the order they were woken', async () => {
		wakeAll();
		const toldInTurn: number[] = [];
		for (let before = told.length; before < STREAMS; before = told.length) {
			await nextTurn();
			toldInTurn.push(told.length - before);
		}
		expect(Math.max(...toldInTurn)).toBeLessThanOrEqual(PER_TURN);
		expect(told).toEqual(everyone);
	});

	it('are told at once while there are few', () => {
		open[7]?.wake();
		expect(told).toEqual([7]);
	});

	it('are told once for all that wakes them while they wait', async () => {
		wakeAll();
		wakeAll();
		await waitFor('all', () => told.length >= STREAMS);
		await nextTurn();
		// The first were told before they were woken again.
		expect(told).toEqual([...everyone, ...everyone.slice(0, PER_TURN)]);
	});

	it('leave the store to others while it is slow', async () => {
		let answer = () => {};
		const answered = new Promise<void>((resolve) => (answer = resolve));
		whenTold = () => answered;
		wakeAll();
		for (let turn = 0; turn < STREAMS; turn += 1) await nextTurn();
		expect(told).toHaveLength(AT_ONCE);
		answer();
		await waitFor('the others', () => told.length === STREAMS);
	});

	it('do not wait for one that waits for its reader', async () => {
		let room = () => {};
		const drained = new Promise<void>((resolve) => (room = resolve));
		whenTold = (stream) => {
			stream.yieldTurn();
			return drained;
		};
		wakeAll();
		await waitFor('all', () => told.length === STREAMS);
		room();
	});

	it('say goodbye at once, without being told, when the server closes', async () => {
		let answer = () => {};
		const answered = new Promise<void>((resolve) => (answer = resolve));
		whenTold = () => answered;
		wakeAll();
		const closed = app.close();
		const waiting = followed.filter((stream) => stream.events.length === 0);
		expect(waiting).toHaveLength(STREAMS);
		await waitFor(
			'the goodbye of those that waited for their turn',
			() => followed.filter(({ events }) => events.length === 1).length === STREAMS - PER_TURN,
		);
		answer();
		await within('the end of the server', closed);
		expect(told).toHaveLength(PER_TURN);
		await waitFor('the goodbye of all', () => followed.every(({ events }) => events.length > 0));
		for (const { events } of followed) expect(events).toMatchObject([{ event: 'bye' }]);
	});
});
