import { median } from './statistics.ts';
import type { Unlimited } from './unlimited.ts';
import type { Filled, WindowSettings } from './windows.ts';

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);

const row = (...cells: Array<string | number>) => `| ${cells.join(' | ')} |`;

/** The figures of one comparison for docs/benchmarks.md. */
export function describeUnlimited(
	{ count, repetitions }: { count: number; repetitions: number },
	{ ours, theirs, ratio }: Unlimited,
): string {
	return [
		`**${count} items without a limit**, ${repetitions} times by turns:`,
		'',
		row('Node', 'Median of the times', 'Fastest', 'Slowest'),
		row('---', '---', '---', '---'),
		timesOf('Beckon', ours),
		timesOf('HTTP Request', theirs),
		'',
		`Beckon ÷ HTTP Request: **${ratio.toFixed(2)}** (median of the pairs). Aim: 1.0 or less.`,
	].join('\n');
}

function timesOf(name: string, times: readonly number[]): string {
	const texts = [median(times), Math.min(...times), Math.max(...times)].map(seconds);
	return row(name, ...texts.map((text) => `${text} s`));
}

/** The figures of filled windows for docs/benchmarks.md. */
export function describeWindows(
	{ quota, windowSeconds, windows }: WindowSettings,
	ours: readonly Filled[],
	theirs: Filled,
): string {
	const least = (windows - 1) * windowSeconds;
	return [
		`**${quota * windows} pushes where the service takes ${quota} in ${windowSeconds} seconds**, so ${least} seconds at least:`,
		'',
		row('Node', 'Time', '÷ least', '429s', 'Failures', 'Duplicates'),
		row('---', '---', '---', '---', '---', '---'),
		...ours.map((filled) => filledRow('Beckon', filled)),
		filledRow('HTTP Request, Retry On Fail', theirs),
		'',
		`Median of Beckon: **${median(ours.map(({ ratio }) => ratio)).toFixed(3)}** × the least. Aim: 1.03 or less, without a 429, a failure or a duplicate. Retry On Fail tries five times, five seconds apart, the most that n8n allows; then it gives up, with pushes lost, and others sent again that had arrived.`,
	].join('\n');
}

function filledRow(
	name: string,
	{ milliseconds, ratio, refusals, failures, duplicates }: Filled,
): string {
	const time = `${seconds(milliseconds)} s`;
	return row(name, time, ratio.toFixed(3), refusals, failures, duplicates);
}
