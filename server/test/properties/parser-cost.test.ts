import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InjectOptions } from 'fastify';
import { signedIn } from '../console/support/console.ts';
import { entitled, everyPlace, type Place } from '../support/places.ts';
import { routesOf } from '../support/routes.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The most that the server, or Node.js, takes in a place. In a URL each byte takes three. */
const LARGE: Record<Place['kind'], number> = {
	JSON: 65_000,
	text: 65_000,
	header: 15_000,
	URL: 5_000,
};

/** Bytes that mean something to one of the formats. */
const STRUCTURAL = [...',;:=&?|"\'\\/()[]{}<>%# \n'];

/** Twice the size costs at most three times as much, and at most as much as a hundred pushes. */
const MOST = { twice: 3, pushes: 100 };

/** Of so many rounds, the cheapest counts: the process also compiles, and collects garbage. */
const MOST_ROUNDS = 12;

const nested = (size: number, open: string, close: string) =>
	open.repeat(size / 2 / open.length) + close.repeat(size / 2 / close.length);

/** Texts of a size, each by its name: those for a parser, or the few for what only has rules. */
function textsOf(size: number, isParsed: boolean): Array<[string, string]> {
	const bytes = isParsed ? STRUCTURAL : [' ', '/'];
	return [
		...bytes.map((byte): [string, string] => [JSON.stringify(byte), byte.repeat(size)]),
		['nested [', nested(size, '[', ']')],
		['nested {', nested(size, '{"a":', '}')],
	];
}

/** Lists and objects that take a size as JSON. */
function listsOf(size: number): Array<[string, unknown]> {
	const list = (entry: unknown) =>
		Array<unknown>(Math.floor(size / (JSON.stringify(entry).length + 1))).fill(entry);
	const keys = Array.from({ length: Math.floor(size / 10) }, (_, n) => [`k${n}`, 1]);
	return [
		...[{}, ''].map((entry): [string, unknown] => [
			`a list of ${JSON.stringify(entry)}`,
			list(entry),
		]),
		['an object', Object.fromEntries(keys)],
		['nested lists', JSON.parse(nested(Math.min(size, 2_000), '[', ']'))],
	];
}

describe('the largest request', () => {
	let server: TestServer;
	let places: Place[];
	let send: Awaited<ReturnType<typeof entitled>>;
	beforeAll(async () => {
		const routes = await routesOf(async () => {
			server = await startTestServer({ settings: UNLIMITED });
		});
		await server.addChannel('ops', { devices: [server.phone.id] });
		send = await entitled(server, await signedIn(server));
		places = everyPlace(routes);
	});
	afterAll(() => server.close());

	/** Milliseconds of CPU that the request takes. */
	async function cost(request: InjectOptions): Promise<number> {
		const before = process.cpuUsage();
		await send(request);
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	}

	async function costOfPush(): Promise<number> {
		const costs: number[] = [];
		for (let n = 0; n < 50; n += 1)
			costs.push(
				await cost({ method: 'POST', url: '/api/push-notification', payload: { title: 'a' } }),
			);
		return Math.min(...costs);
	}

	it('costs three times as much as half of it at most, and no more than a hundred pushes', async () => {
		const push = await costOfPush();
		const found: string[] = [];
		for (const { name, kind, isParsed, requestWith } of places) {
			const valuesOf = (size: number) =>
				new Map<string, unknown>([
					...textsOf(size, isParsed),
					...(kind === 'JSON' ? listsOf(size) : []),
				]);
			const halves = valuesOf(LARGE[kind] / 2);
			for (const [what, value] of valuesOf(LARGE[kind])) {
				let [whole, half, round] = [Infinity, Infinity, 0];
				// A half that costs less than two pushes is as good as nothing.
				const isCheap = () =>
					whole <= MOST.pushes * push && whole <= MOST.twice * Math.max(half, 2 * push);
				do {
					whole = Math.min(whole, await cost(requestWith(value)));
					if (whole > MOST.twice * push)
						half = Math.min(half, await cost(requestWith(halves.get(what))));
					round += 1;
				} while (!isCheap() && round < MOST_ROUNDS);
				const costs = [whole, half, push].map((ms) => ms.toFixed(1)).join(', ');
				if (!isCheap()) found.push(`${name}: ${what}: ${costs} ms for it, its half, and a push`);
			}
		}
		expect(found).toEqual([]);
	});
});
