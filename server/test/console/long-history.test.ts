import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHistoryEntries } from '../../src/store/history/history.ts';
import { historyPage, type HistoryCursor } from '../../src/store/history/pages.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

/** More than a filter examines at a time. */
const ENTRIES = 5_000;

let server: TestServer;
let owner: Console;

beforeAll(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
	await server.context.database.write(server.account.id, async (db) => {
		const entries = Array.from({ length: ENTRIES }, (_, index) => {
			const isRare = index === 0 || index === ENTRIES - 1;
			return {
				id: `his_${String(index).padStart(8, '0')}`,
				account_id: server.account.id,
				api_key_id: null,
				kind: 'push' as const,
				title: isRare ? `Needle ${index}` : `Straw ${index}`,
				channels: null,
				tags: isRare ? ['needle'] : undefined,
				metadata: undefined,
				// Four share a timestamp, so pages and stretches end among equal ones.
				created_at: server.clock.now + Math.floor(index / 4),
			};
		});
		await insertHistoryEntries(db, entries);
	});
});
afterAll(() => server.close());

const NEEDLES = [`Needle ${ENTRIES - 1}`, 'Needle 0'];

describe('a long history', () => {
	it('comes whole and in order, whatever the size of the page', async () => {
		const seen: string[] = [];
		let after: HistoryCursor | undefined;
		do {
			const page = await historyPage(
				server.context.database.read,
				server.account.id,
				{},
				{ after, limit: 333 },
			);
			seen.push(...page.rows.map(({ id }) => id));
			after = page.next;
		} while (after);
		expect(seen).toHaveLength(ENTRIES);
		expect(seen).toEqual([...seen].sort().reverse());
	});

	it('is looked through in stretches, each of which says where to go on', async () => {
		const { read } = server.context.database;
		const found: string[] = [];
		let stretches = 0;
		let after: HistoryCursor | undefined;
		do {
			const { rows, next } = await historyPage(
				read,
				server.account.id,
				{ search: 'needle' },
				{ after, limit: 50 },
			);
			found.push(...rows.map(({ title }) => title));
			stretches += 1;
			after = next;
		} while (after);
		expect(found).toEqual(NEEDLES);
		expect(stretches).toBeGreaterThan(1);
	});

	it.each(['search=needle', 'tags=needle', 'search=needle&kind=push&key=console'])(
		'answers %s at once, though the last one is far back',
		async (query) => {
			const { body } = await owner.call('GET', `/history?${query}`);
			const titles = body['entries'].map(({ title }: { title: string }) => title);
			expect([titles, body['cursor'], body['looked_back_to']]).toEqual([NEEDLES, null, null]);
		},
	);

	it('is exported whole, through a filter too', async () => {
		const linesOf = async (query: string) =>
			((await owner.call('GET', `/history.csv${query}`)).body as unknown as string).split('\r\n');
		expect(await linesOf('')).toHaveLength(1 + ENTRIES + 1);
		expect(await linesOf('?tags=needle')).toHaveLength(1 + NEEDLES.length + 1);
	});
});
