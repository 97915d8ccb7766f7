import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { loadVapidKeys } from '../../src/delivery/webpush/vapid.ts';
import { openDatabase } from '../../src/store/open.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { runCli, seed, startProcess } from '../support/process.ts';
import { within } from '../support/wait.ts';

/** A separate PostgreSQL, because some tests concern its users and its absence. */
describe('starting on PostgreSQL', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		cluster = await startCluster();
	});
	afterAll(() => cluster.remove());

	async function freshDatabase(): Promise<string> {
		const name = `fresh_${Math.random().toString(36).slice(2)}`;
		await cluster.createDatabase(name);
		return cluster.urlOf(name);
	}
	const passwordIn = (url: string) => new URL(url).password;

	it('migrates once when five start at the same moment, and makes one set of keys', async () => {
		const url = await freshDatabase();
		const databases = await Promise.all(
			Array.from({ length: 5 }, () => openDatabase({ directory: '', url })),
		);
		try {
			const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
				databases[0]!.read,
			);
			expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(migrations));
			const keys = await Promise.all(databases.map((database) => loadVapidKeys(database)));
			expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1);
		} finally {
			await Promise.all(databases.map((database) => database.close()));
		}
	});

	it('refuses data of a newer version, and changes nothing', async () => {
		const url = await freshDatabase();
		const database = await openDatabase({ directory: '', url });
		await sql`insert into kysely_migration values ('9999-future', 'now')`.execute(database.read);
		await database.close();
		await expect(openDatabase({ directory: '', url })).rejects.toThrow(
			/newer version of Beckon \(it has 9999-future\)/,
		);
	});

	it('refuses data of a schema that it does not know, and changes nothing', async () => {
		const url = await freshDatabase();
		const database = await openDatabase({ directory: '', url });
		await sql`update kysely_migration set name = '0001-first' where name like '0001%'`.execute(
			database.read,
		);
		await database.close();
		await expect(openDatabase({ directory: '', url })).rejects.toThrow(
			'The data has a schema that this version of Beckon does not know (it has 0001-first): start the version that wrote it',
		);
	});

	it('refuses a database that is not in UTF-8', async () => {
		await cluster.createDatabase('latin', "template template0 encoding 'LATIN1'");
		await expect(openDatabase({ directory: '', url: cluster.urlOf('latin') })).rejects.toThrow(
			'The database has the encoding LATIN1. Create it with encoding UTF8.',
		);
	});

	it.each([
		['a server that is not there', (url: string) => url.replace(/:\d+\//, ':1/'), /ECONNREFUSED/],
		[
			'a wrong password',
			(url: string) => url.replace(/:[^:@]+@/, ':s3cretpassword@'),
			/password authentication failed/,
		],
		['a database that does not exist', (url: string) => `${url}x`, /does not exist/],
	])('says what is wrong with %s in one line, without the password', async (_what, wrong, why) => {
		const url = wrong(await freshDatabase());
		for (const command of [
			['start', '--port', '0'],
			['account', 'list'],
		]) {
			const { code, stdout, stderr } = await runCli(command, { BECKON_DATABASE_URL: url });
			expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
			expect(stderr).toMatch(
				/^Cannot use the database postgres:\/\/beckon@127\.0\.0\.1:\d+\/\w+: .+\n$/,
			);
			expect(stderr).toMatch(why);
			expect(stderr).not.toContain(passwordIn(url));
		}
	});

	it('refuses what is not an address, without showing it', async () => {
		for (const url of ['mysql://u:hunter2@h/d', 'postgres://u:hunter2@h:x/d', 'hunter2']) {
			const { code, stderr } = await runCli(['start'], { BECKON_DATABASE_URL: url });
			expect(code).toBe(1);
			expect(stderr).toMatch(/^BECKON_DATABASE_URL must be the address of a PostgreSQL database/);
			expect(stderr).not.toContain('hunter2');
		}
	});

	it('brings up processes that share all, one of which can end while its phone goes elsewhere', async () => {
		const url = await freshDatabase();
		const settings = { BECKON_DATABASE_URL: url, BECKON_LOG_LEVEL: 'debug' };
		const directory = temporaryDirectory();
		const [one, two] = await Promise.all([
			startProcess(directory.path, { settings }),
			startProcess(directory.path, { settings }),
		]);
		try {
			const demo = await seed(undefined, settings);
			const phone = await fetch(`${one.url}/device/events`, {
				headers: { authorization: `Bearer ${demo.device_token}` },
			});
			const told = phone.text();
			const sent = await fetch(`${two.url}/api/push-notification`, {
				method: 'POST',
				headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
				body: JSON.stringify({ title: 'from two' }),
			});
			expect(sent.status).toBe(200);
			one.signal('SIGTERM');
			expect(await within('the end', one.finished)).toMatchObject({ code: 0 });
			expect(await told).toMatch(/event: bye\ndata: \{\}\n\n$/);
			const again = await fetch(`${two.url}/device/inbox`, {
				headers: { authorization: `Bearer ${demo.device_token}` },
			});
			expect(await again.json()).toMatchObject({ deliveries: [{ push: { title: 'from two' } }] });
			for (const { log } of [one, two]) expect(log()).not.toContain(passwordIn(url));
		} finally {
			for (const process of [one, two]) process.signal('SIGKILL');
			await Promise.all([one.finished, two.finished]);
			directory.remove();
		}
	});
});
