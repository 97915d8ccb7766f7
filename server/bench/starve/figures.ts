import { join } from 'node:path';
import type { ServerProcess } from '../../test/support/process.ts';
import { waitFor } from '../../test/support/wait.ts';
import { median } from '../../../bench/node/statistics.ts';
import { ms, verdict } from '../api/report.ts';
import type { Bystander, Felt } from './bystander.ts';

/** Aims: how long the event loop is held, the 99th percentile of another account's pushes, and a transaction's time. */
export const AIMS_MS = { held: 50, pushes: 100, open: 500 };

/** The module that a server must load so that `feel` can measure it. */
export const LOOP_DELAY = join(import.meta.dirname, 'loop-delay.ts');

/** In milliseconds. */
export interface Figures extends Pick<Felt, 'pushes' | 'taps'> {
	/** The longest time for which the server's event loop was held, and the most that was computed in one turn. */
	held: number;
	busy: number;
	/** The longest time for which a transaction that writes was open. */
	open: number;
}

const KINDS = ['held', 'busy', 'pushes', 'taps', 'open'] as const;

const HELD = /event loop held: ([\d.]+) ([\d.]+) ([\d.]+)/g;

/** What has held the server's event loop since the last call. */
export async function heldBy(
	server: ServerProcess,
): Promise<Pick<Figures, 'held' | 'busy' | 'open'>> {
	const all = () => [...server.log().matchAll(HELD)];
	const seen = all().length;
	server.signal('SIGUSR2');
	await waitFor('the delay', () => all().length > seen);
	const [, held, busy, open] = all().at(-1) ?? [];
	return { held: Number(held), busy: Number(busy), open: Number(open) };
}

/** Latencies of the other account, and what holds the server's event loop meanwhile. */
export async function feel(
	server: ServerProcess,
	bystander: Bystander,
	seconds: number,
): Promise<Figures> {
	await heldBy(server);
	const { failures, ...felt } = await bystander.feel(seconds);
	for (const [failure, times] of failures) process.stderr.write(`${times} × ${failure}\n`);
	return { ...felt, ...(await heldBy(server)) };
}

const longestOf = (times: readonly number[]) => Math.max(0, ...times);

export const HEADER = [
	'What',
	'Takes',
	'Held idle',
	'Held',
	'Computing idle',
	'Computing',
	'Push idle',
	'Push',
	'Tap idle',
	'Tap',
	'Transaction idle',
	'Transaction',
];

/**
 * A row of the report, and its verdict: the medians of all measurements; for transactions, the longest.
 * @param took NaN: not known
 */
export function toReport(
	what: string,
	took: number,
	idle: readonly Figures[],
	during: readonly Figures[],
): { row: string[]; verdict: string } {
	const of = (kind: keyof Figures, figures: readonly Figures[]) =>
		(kind === 'open' ? longestOf : median)(figures.map((one) => one[kind]));
	const row = [
		what,
		Number.isNaN(took) ? '' : ms(took),
		...KINDS.flatMap((kind) => [ms(of(kind, idle)), ms(of(kind, during))]),
	];
	process.stderr.write(`${row.join(' | ')}, of ${during.length}\n`);
	const isMet = (kind: keyof typeof AIMS_MS) => verdict(of(kind, during) <= AIMS_MS[kind]);
	return {
		row,
		verdict: `- ${what}: event loop held ≤ ${AIMS_MS.held} ms: ${isMet('held')}; p99 of a push ≤ ${AIMS_MS.pushes} ms: ${isMet('pushes')}; every transaction ≤ ${AIMS_MS.open} ms: ${isMet('open')}`,
	};
}
