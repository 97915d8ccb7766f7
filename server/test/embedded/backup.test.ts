import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/open.ts';
import { backUp } from '../../src/store/engine/sqlite/files.ts';
import { DATABASE_FILE } from '../../src/store/engine/sqlite/database.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { fillStore } from '../support/full-store.ts';
import { runCli, runJson, seed, startProcess } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { allRows } from '../support/store-rows.ts';

describe('a backup of the embedded store', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: TestServer;
	beforeEach(async () => {
		directory = temporaryDirectory();
		server = await startTestServer();
		await fillStore(server);
	});
	afterEach(async () => {
		await server.close();
		directory.remove();
	});

	it('holds everything, and serves in another folder as the first did', async () => {
		const file = join(directory.path, 'backup.db');
		await backUp(server.context.database.read, file);
		const restored = join(directory.path, 'restored');
		mkdirSync(restored);
		await copyFile(file, join(restored, DATABASE_FILE));

		const copy = await openDatabase({ directory: restored, url: '' });
		expect(await allRows(copy.read)).toEqual(await allRows(server.context.database.read));
		await copy.close();

		const second = await startTestServer({ directory: restored });
		const sent = await second.call(
			'POST',
			'/push-notification',
			{ title: 'Restored' },
			{ key: server.account.key },
		);
		expect(sent.status).toBe(200);
		expect(sent.body['devices_notified']).toBe(2);
		await second.close();
	});

	it('gives no id again that a phone has seen since it was made', async () => {
		const data = join(directory.path, 'data');
		const demo = await seed(data);
		const file = join(directory.path, 'backup.db');
		await runJson(['backup', '--to', file, '--data', data]);
		const pushTwice = async (folder: string, after: number) => {
			const { url, signal, finished } = await startProcess(folder);
			const call = async (path: string, token: string, body?: object) => {
				const response = await fetch(`${url}${path}`, {
					headers: {
						authorization: `Bearer ${token}`,
						...(body && { 'content-type': 'application/json' }),
					},
					...(body && { method: 'POST', body: JSON.stringify(body) }),
				});
				return response.json();
			};
			for (const title of ['first', 'second'])
				await call('/api/push-notification', demo.key, { title });
			const inbox = await call(`/device/inbox?after=${after}`, demo.device_token);
			signal('SIGTERM');
			await finished;
			return inbox;
		};
		const { cursor } = await pushTwice(data, 0);
		const restored = join(directory.path, 'restored');
		mkdirSync(restored);
		await copyFile(file, join(restored, DATABASE_FILE));
		const { deliveries } = await pushTwice(restored, cursor);
		expect(deliveries.map(({ push }: any) => push.title)).toEqual(['first', 'second']);
	});

	it('is readable by its owner alone', async () => {
		const file = join(directory.path, 'backup.db');
		await backUp(server.context.database.read, file);
		expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
	});

	it('is made while requests arrive, of one moment: no push without its deliveries', async () => {
		const file = join(directory.path, 'backup.db');
		const pushes = Array.from({ length: 30 }, (_, n) =>
			server.call('POST', '/push-notification', { title: `Push ${n}` }),
		);
		await Promise.all([...pushes, backUp(server.context.database.read, file)]);
		const restored = join(directory.path, 'restored');
		mkdirSync(restored);
		await copyFile(file, join(restored, DATABASE_FILE));
		const copy = await openDatabase({ directory: restored, url: '' });
		const orphans = await copy.read
			.selectFrom('messages')
			.leftJoin('deliveries', 'deliveries.message_id', 'messages.id')
			.select('messages.id')
			.where('messages.kind', '=', 'push')
			.where('deliveries.id', 'is', null)
			.execute();
		expect(orphans).toEqual([]);
		await copy.close();
	});
});

describe('beckon-server backup', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	beforeEach(() => {
		directory = temporaryDirectory();
	});
	afterEach(() => directory.remove());

	it('names the file that it wrote', async () => {
		const data = join(directory.path, 'data');
		await seed(data);
		const file = join(directory.path, 'backup.db');
		expect(await runJson(['backup', '--to', file, '--data', data])).toEqual({
			from: data,
			to: file,
		});
		expect(statSync(file).size).toBeGreaterThan(0);
	});

	it.each([
		[
			'a file that exists',
			(folder: string) => {
				const file = join(folder, 'there.db');
				writeFileSync(file, 'precious');
				return file;
			},
			/there\.db already exists\. Name a new file/,
		],
		[
			'a folder that does not exist',
			(folder: string) => join(folder, 'nowhere', 'backup.db'),
			/^Cannot write .*nowhere/,
		],
	])('refuses %s, and says so', async (_what, fileIn, words) => {
		const data = join(directory.path, 'data');
		await seed(data);
		const { code, stderr } = await runCli([
			'backup',
			'--to',
			fileIn(directory.path),
			'--data',
			data,
		]);
		expect(code).toBe(1);
		expect(stderr).toMatch(words);
		expect(stderr.split('\n')).toHaveLength(2);
	});
});
