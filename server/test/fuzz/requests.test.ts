import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../support/routes.ts';
import { scaled } from '../support/scaled.ts';
import { Random } from './support/random.ts';
import { rawPieces } from './support/raw.ts';
import { bytesOf, type FuzzRequest, READ_BYTES, Requests } from './support/requests.ts';
import { Known } from './support/values.ts';
import { checkAnyAnswer, createVerdict, jsonOf } from './support/verdict.ts';
import { Connection, localAddress, parseAnswers, sendAndEnd } from './support/wire.ts';
import { createWorld, OWNER, type World } from './support/world.ts';

/** Number of requests, and their seed: `FUZZ_REQUESTS=20000 FUZZ_SEED=7 npm run test:fuzz`. */
const REQUESTS = scaled(Number(process.env['FUZZ_REQUESTS'] ?? 200_000));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261);

/** The share sent as raw bytes with mistakes in the protocol itself. */
const RAW_PART = 0.2;
const CONNECTIONS = 24;

/** Requests after which revoked credentials are renewed. */
const ROUND = 2_000;

/** Allowed heap growth after warm-up: windows of rate limits, statements. */
const KEPT_BYTES = 24 * 1_024 * 1_024;

/** A request whose answer has a body, which shows where the answer ends. */
function withBody(requests: Requests, random: Random): FuzzRequest {
	for (;;) {
		const request = requests.make(random);
		if (request.method !== 'HEAD') return request;
	}
}

/** The collection of a route: `users` for `/console/api/users/:id`. */
function collectionOf(url: string): string {
	return url.split('/').findLast((part) => part !== '' && !part.startsWith(':')) ?? '';
}

describe(`a server that is sent ${REQUESTS} wrong and right requests (FUZZ_SEED=${SEED})`, () => {
	const known = new Known();
	const statuses = new Map<number, number>();
	const done = new Map<string, number>();
	const nameOf = ({ method, url }: Route) => `${method} ${url}`;
	const isDone = (route: Route) => done.has(nameOf(route));
	let world: World;
	let warmHeap = 0;

	beforeAll(async () => {
		world = await createWorld();
		for (const slug of ['ops', 'nowhere']) known.add('channels', slug);
		known.add('users', 'owner');
		for (let id = 1; id < 30; id += 1) known.add('delivery_id', id);
		known.add('key', 'cpu');
		known.add('choice', 'yes');
		// The listening client chooses both.
		known.add('trigger_id', `trg_${'a'.repeat(22)}`);
		known.add('session', 'a'.repeat(16));
		known.add('time_zone', 'Europe/Berlin');
		known.add('email', OWNER.email);
		known.add('password', OWNER.password);
	});
	afterAll(() => world.close());

	/** Runs `send` for each number below `count`, on several connections, in rounds. */
	async function inRounds(count: number, send: (index: number, lane: number) => Promise<void>) {
		for (let from = 0; from < count; from += ROUND) {
			let next = from;
			const until = Math.min(count, from + ROUND);
			const lanes = Array.from({ length: CONNECTIONS }, async (_, lane) => {
				while (next < until) await send(next++, lane);
			});
			await Promise.all(lanes);
			await world.restore();
		}
	}

	function failure(index: number, what: string, request: Buffer, cause: unknown): Error {
		const reason = cause instanceof Error ? cause.message : String(cause);
		const shown =
			request.length > 4_000
				? `${request.subarray(0, 4_000).toString('latin1')}…`
				: request.toString('latin1');
		return new Error(
			`${reason}\n\nFUZZ_SEED=${SEED}, ${what} ${index}:\n${shown}\n\nin base64: ${request.toString('base64').slice(0, 20_000)}\n\nlog: ${world.server.log().slice(-3_000)}`,
			{ cause },
		);
	}

	function count<K>(counts: Map<K, number>, key: K): void {
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}

	it('answers requests made from its own schemas as they say, and never with 5xx', async () => {
		const requests = new Requests(world.routes, known, world.credentials, isDone);
		const verdict = createVerdict(world.openApi);
		const connections = Array.from(
			{ length: CONNECTIONS },
			(_, lane) => new Connection(world.port, localAddress(new Random(lane))),
		);
		const total = Math.round(REQUESTS * (1 - RAW_PART));
		const send = async (index: number, lane: number) => {
			const request: FuzzRequest = requests.make(new Random(SEED * 1_000_003 + index));
			const bytes = bytesOf(request);
			try {
				const answer = await connections[lane]!.ask(bytes, request.method);
				if (!answer) {
					// A reset that meets bytes under way takes the answer with it.
					if (bytes.length > READ_BYTES) return;
					throw new Error('The connection was closed without an answer');
				}
				verdict(request, answer);
				count(statuses, answer.status);
				if (answer.status === 401 && request.isEntitled) await world.restore();
				if (answer.status < 400 && request.method === request.route.method) {
					count(done, nameOf(request.route));
					known.learn(jsonOf(answer), collectionOf(request.route.url));
				}
			} catch (error) {
				throw failure(index, 'request', bytes, error);
			}
		};
		// Code loaded and compiled once must not count as growth.
		const warm = Math.min(Math.round(total / 10), 20_000);
		await inRounds(warm, send);
		warmHeap = await world.heap();
		await inRounds(total - warm, (index, lane) => send(index + warm, lane));
		for (const connection of connections) connection.close();
		process.stdout.write(
			`answers: ${[...statuses]
				.sort(([a], [b]) => a - b)
				.map(([status, times]) => `${times} × ${status}`)
				.join(', ')}\n`,
		);
	});

	it('has been asked for everything, and has done it', () => {
		const all = world.routes.map(nameOf);
		const never = all.filter((route) => !done.has(route));
		const rarest = [...done].sort(([, a], [, b]) => a - b).slice(0, 5);
		expect(all.length).toBeGreaterThan(80);
		process.stdout.write(`never done: ${never.length === 0 ? 'nothing' : never.join(', ')}\n`);
		process.stdout.write(
			`done least: ${rarest.map(([route, times]) => `${times} × ${route}`).join(', ')}\n`,
		);
		// A short run never reaches some cases: a paused stream, or a phone disconnecting.
		expect(never.length).toBeLessThanOrEqual(REQUESTS < 100_000 ? all.length / 2 : 0);
	});

	it('answers bytes that are hardly HTTP in JSON or not at all, and never with 5xx', async () => {
		const requests = new Requests(world.routes, known, world.credentials, isDone);
		await inRounds(Math.round(REQUESTS * RAW_PART), async (index) => {
			const random = new Random(SEED * 7_000_003 + index);
			const pieces = rawPieces(bytesOf(withBody(requests, random)), world.credentials.key, random);
			try {
				const { bytes, isWhole } = await sendAndEnd(world.port, localAddress(random), pieces);
				for (const answer of parseAnswers(bytes, 'GET', isWhole)) checkAnyAnswer(answer, 'GET');
			} catch (error) {
				throw failure(index, 'bytes', Buffer.concat(pieces), error);
			}
		});
	});

	it('answers as before, and is as small', async () => {
		const health = await fetch(`${world.server.url}/healthz`);
		expect(health.status).toBe(200);
		const push = await fetch(`${world.server.url}/api/push-notification`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${world.credentials.key}`,
				'content-type': 'application/json',
			},
			body: '{"title":"Still there"}',
		});
		expect(push.status).toBe(200);
		const heap = await world.heap();
		process.stdout.write(
			`heap: ${Math.round(warmHeap / 1e6)} MB when warm, ${Math.round(heap / 1e6)} MB afterwards\n`,
		);
		expect(heap - warmHeap).toBeLessThan(KEPT_BYTES);
		expect(world.server.log()).not.toContain('"level":60');
	});
});
