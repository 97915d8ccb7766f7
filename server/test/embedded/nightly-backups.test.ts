import {
	copyFileSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdLines } from '../support/mistakes.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { runCli, runJson, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const CREATE = ['account', 'create', '--owner', 'o@example.com', '--name'];
const BACKUP = /^beckon-\d{8}T\d{6}Z\.db$/;

describe('nightly backups', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let data: string[];
	let backups: string;
	beforeEach(async () => {
		directory = temporaryDirectory();
		data = ['--data', join(directory.path, 'data')];
		backups = join(directory.path, 'backups');
		await runJson([...CREATE, 'first', ...data]);
	});
	afterEach(() => directory.remove());

	const made = () => readdirSync(backups).filter((name) => BACKUP.test(name));
	const names = async () =>
		(await runJson<Array<{ name: string }>>(['account', 'list', ...data])).map(({ name }) => name);
	const old = (day: number) => {
		const file = join(backups, `beckon-2020010${day}T030000Z.db`);
		writeFileSync(file, '');
		utimesSync(file, new Date(`2020-01-0${day}`), new Date(`2020-01-0${day}`));
	};

	it('are made when there is none since the last night; the oldest are deleted, and halves', async () => {
		mkdirSync(backups);
		for (const day of [1, 2, 3]) old(day);
		writeFileSync(join(backups, 'beckon-20200104T030000Z.db.unfinished'), 'half');
		writeFileSync(join(data[1]!, 'beckon.db.unfinished'), 'half of a restore');
		for (const end of ['', '-journal'])
			writeFileSync(join(data[1]!, `beckon-0001-first-20200104T030000Z.db.unfinished${end}`), '');
		// Another process may still be writing it.
		const theirs = 'beckon-2020-01-04.db.unfinished';
		writeFileSync(join(data[1]!, theirs), 'half of a backup that an operator makes');
		writeFileSync(join(backups, 'letters.txt'), 'not ours');
		const settings = {
			...{ BECKON_BACKUP_DIR: backups, BECKON_BACKUP_KEEP: '2', BECKON_METRICS_PORT: '0' },
		};
		const server = await startProcess(data[1]!, { settings });
		try {
			await waitFor('the backup', () => made().length === 2);
			expect(readdirSync(backups).sort()).toEqual([
				'beckon-20200103T030000Z.db',
				expect.stringMatching(BACKUP),
				'letters.txt',
			]);
			const halves = readdirSync(data[1]!).filter((name) => name.includes('unfinished'));
			expect(halves).toEqual([theirs]);
			rmSync(join(data[1]!, theirs));
			const address = /"url":"([^"]+\/metrics)"/.exec(server.log())![1]!;
			const metrics = await (await fetch(address)).text();
			expect(Number(/^beckon_backup_age_seconds (\S+)$/m.exec(metrics)![1])).toBeLessThan(3_600);
			expect(metrics).toMatch(/^beckon_disk_free_bytes [1-9]/m);
		} finally {
			server.signal('SIGTERM');
			await server.finished;
		}
		const file = join(backups, made().at(-1)!);
		await runJson([...CREATE, 'second', ...data]);
		const restored = await runJson(['restore', '--from', file, ...data]);
		expect(restored).toMatchObject({ replaced: expect.stringMatching(/beckon-replaced-.*\.db$/) });
		expect(await names()).toEqual(['first']);
	});

	it('that fail are logged with the reason', async () => {
		writeFileSync(backups, 'a file in the way');
		const settings = { BECKON_BACKUP_DIR: backups };
		const server = await startProcess(data[1]!, { settings });
		await waitFor('the line', () => server.log().includes('"backing up fails"'));
		server.signal('SIGTERM');
		await server.finished;
		expect(server.log()).toContain('EEXIST');
	});

	it('are not restored beside a running server, nor when they are damaged', async () => {
		const file = join(directory.path, 'copy.db');
		await runJson(['backup', '--to', file, ...data]);
		const server = await startProcess(data[1]!);
		const restore = ['restore', '--from', file, ...data];
		holdLines(await runCli(restore), /^A server is already running/);
		server.signal('SIGTERM');
		await server.finished;
		const bytes = readFileSync(file);
		writeFileSync(file, bytes.fill(7, 8_192, 60_000));
		holdLines(await runCli(restore), /^Cannot write .*beckon\.db: /);
		const damaged = join(directory.path, 'damaged');
		mkdirSync(damaged);
		copyFileSync(file, join(damaged, 'beckon.db'));
		const list = await runCli(['account', 'list', '--data', damaged]);
		holdLines(list, /^The data is damaged\. .* beckon-server restore$/);
		writeFileSync(file, 'no database at all, but a text of some length');
		holdLines(await runCli(restore), /^Cannot write .*beckon\.db: file is not a database$/);
		holdLines(await runCli(['restore', '--from', '/nowhere.db', ...data]), /ENOENT.*nowhere/);
		expect(await names()).toEqual(['first']);
		expect(readdirSync(data[1]!).filter((name) => name.includes('unfinished'))).toEqual([]);
	});
});
