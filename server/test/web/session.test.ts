import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type DeviceClient, deviceClient, DeviceError } from '../../web/device/device-client.ts';
import { type Connection, startSession } from '../../web/device/session.ts';

interface Called {
	path: string;
	body: any;
	/** Milliseconds since the start. */
	at: number;
}

const delivery = (id: number) => ({
	id,
	kind: 'badge',
	badge: id,
	sent_at: '2026-03-01T12:00:00Z',
});
const frames = (...ids: number[]) =>
	ids.map((id) => `event: delivery\ndata: ${JSON.stringify(delivery(id))}\n\n`).join('');

let calls: Called[];
let streams: Array<ReadableStreamDefaultController<Uint8Array>>;
/** Paths whose calls hang until they are aborted. */
let hanging: RegExp | undefined;
let inbox: number[];
let shown: number[];
let connection: Connection | undefined;
let client: DeviceClient;
let stop: () => void;

const acknowledged = () =>
	calls.filter(({ path }) => path === '/acknowledge').map(({ body, at }) => [at, body.deliveries]);
const asked = (path: string) => calls.filter((call) => call.path.startsWith(path)).length;

/** Lets streams, which are not on the fake clock, go on. */
async function settle() {
	for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number) {
	await settle();
	for (let left = ms; left > 0; left -= 250) {
		jest.advanceTimersByTime(Math.min(left, 250));
		await settle();
	}
}
const send = async (text: string) => {
	streams.at(-1)?.enqueue(new TextEncoder().encode(text));
	await pass(0);
};

function answer(path: string): unknown {
	if (path === '/snapshot')
		return { cursor: 5, notifications: [{ id: 3 }], questions: [{ id: 5 }] };
	if (!path.startsWith('/inbox')) return {};
	return { deliveries: inbox.map(delivery), cursor: inbox.at(-1) ?? 0, more: false };
}

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	[calls, streams, inbox, shown] = [[], [], [], []];
	hanging = undefined;
	const start = performance.now();
	client = deviceClient((path, { body, signal }) => {
		calls.push({
			path,
			body: body === undefined ? undefined : JSON.parse(body as string),
			at: performance.now() - start,
		});
		if (hanging?.test(path))
			return new Promise((_, reject) =>
				signal?.addEventListener('abort', () => reject(new Error('aborted'))),
			);
		if (!path.startsWith('/events')) return Promise.resolve(Response.json(answer(path)));
		const stream = new ReadableStream<Uint8Array>({
			start(controller) {
				streams.push(controller);
				signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
			},
		});
		return Promise.resolve(new Response(stream));
	});
	stop = startSession(client, {
		onSnapshot: () => undefined,
		onDelivery: ({ id }) => shown.push(id),
		onMetric: () => undefined,
		onShown: () => undefined,
		onWake: () => () => undefined,
		onConnection: (now) => (connection = now),
		onDisconnected: () => undefined,
	});
});
afterEach(async () => {
	stop();
	await pass(60_000);
	jest.useRealTimers();
});

describe('the acknowledgements of a session', () => {
	it('begin at once, without a timer, with what the lock screen shows', async () => {
		await pass(0);
		expect(acknowledged()).toEqual([[0, [3, 5]]]);
	});

	it('come at once after a pause, together in a burst, and all of them', async () => {
		await pass(1_000);
		await send(': connected\n\n');
		await send(frames(6, 7));
		await send(frames(8));
		await send(frames(9));
		expect(acknowledged().slice(1)).toEqual([[1_000, [6, 7]]]);
		await pass(250);
		expect(acknowledged().slice(1)).toEqual([
			[1_000, [6, 7]],
			[1_250, [8, 9]],
		]);
	});

	it('are made again if the server could not be reached, and leave with the page', async () => {
		await pass(1_000);
		hanging = /acknowledge/;
		await send(frames(6));
		await pass(10_000);
		hanging = undefined;
		await pass(5_000);
		expect(
			acknowledged()
				.slice(1)
				.map(([, ids]) => ids),
		).toEqual([[6], [6]]);
		await send(frames(7));
		await pass(300);
		await send(frames(8));
		await send(frames(9));
		stop();
		await pass(0);
		expect(acknowledged().at(-1)?.[1]).toEqual([8, 9]);
	});
});

describe('a stream', () => {
	it('is live with its first bytes, and replaced after 30 s without a heartbeat', async () => {
		await pass(0);
		expect(connection).toBe('connecting');
		await send(': connected\n\n');
		expect(connection).toBe('live');
		await pass(20_000);
		await send(': alive\n\n');
		await pass(29_000);
		expect(streams).toHaveLength(1);
		await pass(3_000);
		expect(connection).toBe('reconnecting');
		expect(streams).toHaveLength(2);
	});

	it('that stays empty is given up after 10 s, and the inbox is asked instead', async () => {
		await pass(0);
		inbox = [6, 7];
		await pass(10_000);
		expect(shown).toEqual([6, 7]);
		expect(acknowledged().at(-1)?.[1]).toEqual([6, 7]);
		expect(asked('/inbox?after=5')).toBe(1);
		await pass(2_000);
		expect(streams).toHaveLength(2);
		expect(asked('/events?after=7')).toBe(1);
	});

	it('that the server ends asks nothing: thousands of pages would at once', async () => {
		await pass(0);
		await send(': connected\n\n');
		streams[0]?.close();
		await pass(3_000);
		expect(streams).toHaveLength(2);
		expect(asked('/inbox')).toBe(0);
	});
});

describe('a call', () => {
	it.each([
		['GET /history', 10_000],
		['POST /taps', 20_000],
	] as const)('%s gives up when nothing answers', async (name, limit) => {
		hanging = /./;
		let failure: unknown;
		const repeats = name === 'POST /taps' ? 3 : 1;
		const made = name === 'POST /taps' ? client.call(name, {} as never) : client.call(name, {});
		made.catch((error: unknown) => (failure = error));
		await pass(repeats * limit - 1);
		expect(failure).toBeUndefined();
		await pass(3_000);
		expect(failure).toBeInstanceOf(DeviceError);
		expect(failure).toMatchObject({ status: 0 });
	});
});
