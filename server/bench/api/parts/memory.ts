import { execFileSync } from 'node:child_process';
import { startBeckon } from '../contestants/beckon.ts';
import { openPhones } from '../contestants/phones.ts';
import { megabytes, table, verdict, whole } from '../report.ts';
import { seedAccounts, tokenOf } from '../seed.ts';
import type { Part } from './part.ts';

const AIM_BYTES = 150_000_000;

/** Milliseconds: long enough to free what connecting leaves behind, or to show that it stays. */
const SETTLE_MS = 5_000;

/** Resident memory of the server's process. */
export const memory: Part = async ({ phones }) => {
	const server = await startBeckon((write) =>
		write((db) => seedAccounts(db, { first: 0, accounts: 1, phones })),
	);
	try {
		await settle();
		const atRest = residentBytes(server.pid);
		const tokens = Array.from({ length: phones }, (_, n) => tokenOf(n));
		const disconnect = await openPhones(server.url, tokens);
		await settle();
		const connected = residentBytes(server.pid);
		disconnect();
		const aim = `aim < ${megabytes(AIM_BYTES)}: ${verdict(connected < AIM_BYTES)}`;
		return [
			'### Memory',
			'Resident memory of the server on SQLite, a few seconds after the last phone connected; each phone holds an event stream open.',
			table(
				['Phones connected', 'Resident memory'],
				[
					['none, just started', megabytes(atRest)],
					[`${whole(phones)} (${aim})`, megabytes(connected)],
				],
			),
		].join('\n\n');
	} finally {
		await server.close();
	}
};

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

function residentBytes(pid: number): number {
	return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1_024;
}
