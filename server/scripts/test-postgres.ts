import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openDatabase } from '../src/store/open.ts';
import { startCluster } from '../test/support/postgres-cluster.ts';
import { prepareSpares } from '../test/support/spare-databases.ts';

const JEST = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');
const TEMPLATE = 'beckon_template';

/** From this version on, PostgreSQL logs every page of a copy by default, which takes three times as long. */
const FIRST_WITH_STRATEGY = 15;

/**
 * Runs the server's tests on a temporary PostgreSQL that it starts and stops. Arguments go to jest; with
 * `--selectProjects`, they name other tests than the project `postgres`.
 */
const given = process.argv.slice(2);
const project = given.includes('--selectProjects') ? [] : ['--selectProjects', 'postgres'];
// Tests wait for the database more than for a core.
const workers = given.includes('--runInBand') ? [] : ['--maxWorkers=4'];
const cluster = await startCluster().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
try {
	await cluster.createDatabase(TEMPLATE);
	// Migrated once; each test's server gets a copy.
	const url = cluster.urlOf(TEMPLATE);
	await (await openDatabase({ directory: '', url })).close();
	await prepareSpares(url);
	const jest = spawn(
		process.execPath,
		[
			...['--no-warnings', JEST, ...given],
			...[...workers, '--config', 'jest.config.mjs', ...project],
		],
		{
			cwd: join(import.meta.dirname, '..'),
			stdio: 'inherit',
			env: {
				...process.env,
				TEST_DATABASE_URL: url,
				TEST_DATABASE_COPY: cluster.version >= FIRST_WITH_STRATEGY ? 'strategy file_copy' : '',
			},
		},
	);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => jest.kill(signal));
	process.exitCode = await new Promise<number>((resolve, reject) => {
		jest.once('error', reject);
		jest.once('exit', (code) => resolve(code ?? 1));
	});
} finally {
	await cluster.remove();
}
