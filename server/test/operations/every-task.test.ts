import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApnsStandIn } from '../gateways/support/apns.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { followEvents } from '../support/events.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { isOnPostgres } from '../support/store.ts';
import type { TaskLine } from '../support/tasks-that-throw.ts';
import { waitFor } from '../support/wait.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const SCHEDULED = /\b(?:scheduleEvery\(\s*\w+,|everyMs: \w+,\s*what:)\s*'([^']+)'/g;
const THROWING = join(import.meta.dirname, '../support/tasks-that-throw.ts');

/** Of a server that has its store in files. */
const OF_FILES = ['watching the disk', 'backing up', 'looking for changes of other processes'];

/** The names of all tasks that the source schedules, for the store that the tests use. */
function namedTasks(): string[] {
	return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts') && name !== 'regular-work.ts')
		.flatMap((name) => [...readFileSync(join(SOURCE, name), 'utf8').matchAll(SCHEDULED)])
		.map(([, what = '']) => what)
		.filter((what) => !isOnPostgres || !OF_FILES.includes(what));
}

describe('every task of a server that throws once', () => {
	const apns = new ApnsStandIn();
	const directory = temporaryDirectory();
	let server: ServerProcess;
	afterEach(async () => {
		server.signal('SIGKILL');
		await apns.close();
		directory.remove();
	});

	it('is reported by its name, and works the next time', async () => {
		await apns.listen();
		const demo = await seed(directory.path);
		server = await startProcess(directory.path, {
			settings: {
				...apns.settings(directory.path),
				BECKON_BACKUP_DIR: join(directory.path, 'backups'),
			},
			nodeOptions: ['--no-warnings', '--import', THROWING],
		});
		// Heartbeats begin with the first stream.
		const stream = await followEvents(server.url, demo.device_token);
		const lines = () =>
			server
				.log()
				.split('\n')
				.filter((line) => line.startsWith('{'))
				.map((line) => JSON.parse(line) as Partial<TaskLine> & { msg?: string });
		const tasks = (did: TaskLine['did']) =>
			lines().flatMap((line) => (line.did === did ? [line.task] : []));
		const all = namedTasks().sort();
		const begun = await waitFor('every task to work', () => {
			const found = tasks('begin').sort();
			return tasks('work').length === all.length && found;
		});
		expect(begun).toEqual(all);
		expect(tasks('throw').sort()).toEqual(all);
		const reported = lines().flatMap(({ msg }) => /^(.+) failed$/.exec(msg ?? '')?.[1] ?? []);
		expect(reported.sort()).toEqual(all);
		await stream.close();
	});
});
