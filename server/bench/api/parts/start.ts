import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../../../bench/node/statistics.ts';
import { npm } from '../../../../scripts/lib/npm.ts';
import { pack } from '../../../../scripts/lib/pack.ts';
import { runJson, startProcess } from '../../../test/support/process.ts';
import { megabytes, ms, table, verdict } from '../report.ts';
import type { Part } from './part.ts';

const SERVER = join(import.meta.dirname, '../../..');

const AIM_BYTES = 60_000_000;
const AIM_MS = 1_500;

/** For self-hosters: the packed server's size once installed, and the time to its first answer. */
export const start: Part = async ({ rounds }, say) => {
	const folder = mkdtempSync(join(tmpdir(), 'beckon-installed-'));
	try {
		const packed = await pack(folder, SERVER);
		say('Installing the packed server');
		const install = ['install', '--omit=dev', '--no-package-lock', packed.tarball];
		await npm([...install, '--prefix', folder], { cwd: folder, minutes: 5 });
		const bytes = sizeOf(join(folder, 'node_modules'));
		const main = join(folder, 'node_modules/beckon-server/dist/main.js');

		const first: number[] = [];
		const later: number[] = [];
		for (let round = 0; round < Math.max(rounds, 3); round += 1) {
			const data = join(folder, `data-${round}`);
			mkdirSync(data);
			first.push(await msToAnswer(main, data));
			const account = ['account', 'create', '--name', 'acme', '--owner', 'owner@example.com'];
			await runJson([...account, '--data', data], {}, main);
			later.push(await msToAnswer(main, data));
		}
		const slowest = Math.max(median(first), median(later));
		return [
			'## Size and start',
			`The packed server, installed with only its production dependencies. The time is from starting the process to its first answer (medians). Size: aim < ${megabytes(AIM_BYTES)}: ${verdict(bytes < AIM_BYTES)}. Start: aim < ${ms(AIM_MS)}: ${verdict(slowest < AIM_MS)}.`,
			table(
				['', 'Measured'],
				[
					['Package', megabytes(packed.bytes)],
					['Installed', megabytes(bytes)],
					['First start, which creates the database', ms(median(first))],
					['Every later start', ms(median(later))],
				],
			),
		].join('\n\n');
	} finally {
		rmSync(folder, { recursive: true });
	}
};

/** Milliseconds from the start of the process to its first answer. */
async function msToAnswer(main: string, data: string): Promise<number> {
	const begin = performance.now();
	const server = await startProcess(data, { main });
	const answer = await fetch(`${server.url}/api/push-notification`, { method: 'POST' });
	const passed = performance.now() - begin;
	if (answer.status !== 401)
		throw new Error(`A request without a key was answered ${answer.status}`);
	server.signal('SIGTERM');
	await server.finished;
	return passed;
}

/** Bytes of all files in the folder. */
function sizeOf(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}
