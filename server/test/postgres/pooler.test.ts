import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from 'kysely';
import { followEvents } from '../support/events.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { runCli } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const PLENTY = { BECKON_RATE_PER_ADDRESS: '100000', BECKON_RATE_NOTIFICATIONS: '100000' };

const DEAF =
	/^No notification \(NOTIFY\) sent over .* arrives over .*: set BECKON_DATABASE_LISTEN_URL /;

const POOLERS = ['session', 'transaction'] as const;

let cluster: Cluster;
const poolers = {} as Record<(typeof POOLERS)[number], Pooler>;
beforeAll(async () => {
	cluster = await startCluster();
	for (const mode of POOLERS) poolers[mode] = await startPooler(cluster, mode);
});
afterAll(async () => {
	for (const mode of POOLERS) await poolers[mode].remove();
	await cluster.remove();
});

const opened: TestServer[] = [];
afterEach(async () => {
	for (const server of opened.splice(0).reverse()) await server.close();
});

async function freshDatabase(): Promise<string> {
	const name = `pooled_${Math.random().toString(36).slice(2)}`;
	await cluster.createDatabase(name);
	return name;
}

/** The settings for a database behind a pooler: past a pooler of transactions, LISTEN needs another way. */
function settingsFor(mode: (typeof POOLERS)[number], database: string) {
	return {
		...PLENTY,
		BECKON_DATABASE_URL: poolers[mode].urlOf(database),
		...(mode === 'transaction' && { BECKON_DATABASE_LISTEN_URL: cluster.urlOf(database) }),
	};
}

/** Two servers on one database. */
async function startTwo(
	settings: Record<string, string>,
	onError?: (error: unknown) => void,
): Promise<[TestServer, TestServer]> {
	const options = { settings, followsOthers: true, ...(onError && { onError }) };
	const one = await startTestServer(options);
	opened.push(one);
	const two = await startTestServer({ ...options, beside: one });
	opened.push(two);
	return [one, two];
}

const push = (server: TestServer, title: string) =>
	server.call('POST', '/push-notification', { title });

const titles = (deliveries: any[]) => deliveries.map(({ push }) => push.title).sort();

describe.each(POOLERS)('PgBouncer in %s mode', (mode) => {
	it('passes pushes on to phones of another server', async () => {
		const [one, two] = await startTwo(settingsFor(mode, await freshDatabase()));
		const base = await one.app.listen({ host: '127.0.0.1', port: 0 });
		const stream = await followEvents(base, one.phone.token);
		const sent: string[] = [];
		// At once, over many connections, and again over the same ones.
		for (let round = 0; round < 3; round += 1) {
			const more = Array.from({ length: 20 }, (_, n) => `${round}-${n}`);
			const answers = await Promise.all(more.map((title) => push(two, title)));
			expect(answers.map(({ status }) => status)).toEqual(more.map(() => 200));
			sent.push(...more);
			expect(titles(await stream.waitForDeliveries(sent.length))).toEqual([...sent].sort());
		}
		await stream.close();
	});

	it('may be killed and started again: every answer is true, and other servers hear again', async () => {
		const [one, two] = await startTwo(
			settingsFor(mode, await freshDatabase()),
			// The database is away meanwhile.
			() => undefined,
		);
		const base = await one.app.listen({ host: '127.0.0.1', port: 0 });
		const kept: string[] = [];
		const uncertain: string[] = [];
		let refused = 0;
		let isOver = false;
		const load = Array.from({ length: 4 }, async (_, sender) => {
			for (let n = 0; !isOver; n += 1) {
				const title = `${sender}-${n}`;
				const { status, body } = await push(two, title);
				if (status === 200) kept.push(title);
				else if (/does not know/.test(body['message'])) uncertain.push(title);
				else {
					expect({ status, code: body['code'] }).toEqual({ status: 503, code: 'not_stored' });
					refused += 1;
				}
			}
		});
		await waitFor('pushes', () => kept.length > 20);
		await poolers[mode].kill();
		await waitFor('refusals', () => refused > 20);
		await poolers[mode].start();
		const before = kept.length;
		await waitFor('recovery', () => kept.length > before + 20);
		isOver = true;
		await Promise.all(load);
		const stored = titles(await one.phone.inbox());
		expect(new Set(stored).size).toBe(stored.length);
		expect(stored.filter((title) => !uncertain.includes(title))).toEqual(kept.sort());
		const stream = await followEvents(base, one.phone.token);
		await waitFor('another server to hear of a push', async () => {
			const title = `after ${stored.length + stream.deliveries().length}`;
			await push(two, title);
			return titles(stream.deliveries()).includes(title);
		});
		await stream.close();
	});

	it('lets no statement and no stalled transaction go on for longer than without it', async () => {
		const database = settingsFor(mode, await freshDatabase());
		const [one] = await startTwo(database);
		const limits = await one.context.database.write(null, async (db) => {
			const { rows } = await sql<Record<string, string>>`
				select current_setting('statement_timeout') as statement,
					current_setting('idle_in_transaction_session_timeout') as idle,
					current_setting('random_page_cost') as cost`.execute(db);
			return rows[0];
		});
		expect(limits).toEqual({ statement: '4s', idle: '3s', cost: '1.1' });
	});
});

describe('a pooler that swallows LISTEN', () => {
	it.each([
		['start', '--port', '0'],
		['account', 'list'],
	])('is refused in one sentence: %s', async (...command) => {
		const url = poolers.transaction.urlOf(await freshDatabase());
		const { code, stdout, stderr } = await runCli(command, { BECKON_DATABASE_URL: url });
		expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
		expect(stderr).toMatch(DEAF);
		expect(stderr.trim()).not.toContain('\n');
		expect(stderr).not.toContain(new URL(url).password);
	});

	it('is refused where it is the address for LISTEN, and so is another database', async () => {
		const [name, other] = [await freshDatabase(), await freshDatabase()];
		const url = cluster.urlOf(name);
		for (const listenUrl of [poolers.transaction.urlOf(name), cluster.urlOf(other)])
			await expect(openDatabase({ directory: '', url, listenUrl })).rejects.toThrow(DEAF);
	});

	it('is reported again and again when it begins to while servers run, and not once it has ceased', async () => {
		const pooler = await startPooler(cluster, 'session');
		const errors: string[] = [];
		try {
			const settings = { ...PLENTY, BECKON_DATABASE_URL: pooler.urlOf(await freshDatabase()) };
			const server = await startTestServer({
				settings,
				followsOthers: true,
				onError: (error) => errors.push(String(error)),
			});
			opened.push(server);
			const isDeaf = (error: string) => error.includes('No notification (NOTIFY)');
			await pooler.kill();
			await pooler.start('transaction');
			await waitFor('two reports', () => errors.filter(isDeaf).length >= 2);
			await pooler.kill();
			await pooler.start('session');
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const stream = await followEvents(base, server.phone.token);
			await waitFor('a push', async () => (await push(server, 'again')).status === 200);
			await stream.waitForDeliveries(1);
			await stream.close();
		} finally {
			for (const server of opened.splice(0)) await server.close();
			await pooler.remove();
		}
	});
});

describe('parameters that PgBouncer refuses', () => {
	it('are named, with what to do instead', async () => {
		const url = `${poolers.session.urlOf(await freshDatabase())}?options=-c%20jit%3Doff`;
		await expect(openDatabase({ directory: '', url })).rejects.toThrow(
			/unsupported startup parameter: options.*alter role/,
		);
	});
});

describe('the address of a database on a socket', () => {
	it.each([
		['a parameter', (folder: string) => ['', `&host=${folder}`]],
		['an encoded host', (folder: string) => [encodeURIComponent(folder), '']],
	])('is taken with %s', async (_what, place) => {
		const name = await freshDatabase();
		const { username, password } = new URL(cluster.urlOf(name));
		const [host = '', parameter = ''] = place(cluster.socketFolder);
		const url = `postgres://${username}:${password}@${host}/${name}?port=${cluster.port}${parameter}`;
		const [one] = await startTwo({ BECKON_DATABASE_URL: url });
		expect((await push(one, 'over a socket')).status).toBe(200);
		const wrong = url.replace(`/${name}?`, `/${name}x?`);
		const { code, stderr } = await runCli(['start'], { BECKON_DATABASE_URL: wrong });
		expect(code).toBe(1);
		expect(stderr).toMatch(/^Cannot use the database postgres:\/\/beckon@/);
		expect(stderr).toContain(place(cluster.socketFolder).join('').replace('&', ''));
		expect(stderr).not.toContain(password);
	});
});

describe('the size of the pool', () => {
	it('bounds the connections of a server, besides the listening one', async () => {
		const name = await freshDatabase();
		const [one] = await startTwo({
			...PLENTY,
			BECKON_DATABASE_URL: cluster.urlOf(name),
			BECKON_DATABASE_POOL_SIZE: '3',
		});
		await Promise.all(Array.from({ length: 40 }, () => one.phone.call('GET', '/inbox')));
		const { rows } = await sql<{ count: number }>`
			select count(*) from pg_stat_activity where datname = current_database()`.execute(
			one.context.database.read,
		);
		// Of two servers, the second idle.
		expect(rows[0]?.count).toBeGreaterThanOrEqual(3 + 1);
		expect(rows[0]?.count).toBeLessThanOrEqual(2 * (3 + 1));
	});
});
