import { join } from 'node:path';
import type { ServerProcess } from '../../test/support/process.ts';
import { waitFor } from '../../test/support/wait.ts';
import { ms } from '../api/report.ts';
import type { Bystander, Felt } from './bystander.ts';

/** The event loop may be held for this long. */
export const AIM_MS = 50;

/** What a server must load for `feel` to measure it. */
export const LOOP_DELAY = join(import.meta.dirname, 'loop-delay.ts');

/** In milliseconds. */
export interface Figures extends Pick<Felt, 'pushes' | 'taps'> {
	/** The longest time for which the server's event loop was held, and the most that was computed in one turn. */
	held: number;
	busy: number;
}

const HELD = /event loop held: ([\d.]+) ([\d.]+)/g;

/** What has held the server's event loop since the last call. */
async function heldBy(server: ServerProcess): Promise<Pick<Figures, 'held' | 'busy'>> {
	const all = () => [...server.log().matchAll(HELD)];
	const seen = all().length;
	server.signal('SIGUSR2');
	await waitFor('the delay', () => all().length > seen);
	const [, held, busy] = all().at(-1) ?? [];
	return { held: Number(held), busy: Number(busy) };
}

/** What the other account feels, and what holds the server's event loop meanwhile. */
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
];

/** A row of the report, which is also written to the log. @param took NaN: not known */
export function toRow(what: string, took: number, idle: Figures, during: Figures): string[] {
	const figures = (['held', 'busy', 'pushes', 'taps'] as const).flatMap((of) => [
		ms(idle[of]),
		ms(during[of]),
	]);
	const row = [what, Number.isNaN(took) ? '' : ms(took), ...figures];
	process.stderr.write(`${row.join(' | ')}\n`);
	return row;
}
