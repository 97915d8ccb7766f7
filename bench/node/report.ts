import { HTTP_REQUEST_FIELDS, HTTP_REQUEST_JSON } from './contestants.ts';
import { median } from './statistics.ts';
import { ratioTo, type Unlimited } from './unlimited.ts';
import type { Filled, WindowSettings } from './windows.ts';

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);

const row = (...cells: Array<string | number>) => `| ${cells.join(' | ')} |`;

/** The figures of the comparisons for the results. */
export function describeUnlimited(
	{ count, repetitions }: { count: number; repetitions: number },
	{ cells }: Unlimited,
): string {
	const rows = cells.map((cell) => {
		const medians = [...cell.times.values()]
			.slice(0, 3)
			.map((times) => `${seconds(median(times))} s`);
		return row(
			cell.engine,
			cell.expressions,
			...medians,
			ratioTo(cell, HTTP_REQUEST_JSON.name).toFixed(2),
			`**${ratioTo(cell, HTTP_REQUEST_FIELDS.name).toFixed(2)}**`,
		);
	});
	return [
		`**${count} items without a limit**, ${repetitions} alternating rounds, medians. The expression engine \`vm\` is the default of n8n 2, \`legacy\` is that of n8n 1:`,
		'',
		row(
			'Engine',
			'Expressions',
			'Beckon',
			HTTP_REQUEST_JSON.name,
			HTTP_REQUEST_FIELDS.name,
			'÷ JSON body',
			'÷ a field per value',
		),
		row('---', '---:', '---:', '---:', '---:', '---:', '---:'),
		...rows,
		'',
		'Aim: at most 1.0 × HTTP Request with a field per value. With a JSON body it evaluates one expression for the whole body, however many values there are.',
	].join('\n');
}

/** The figures of filled windows for the results. */
export function describeWindows(
	{ quota, windowSeconds, windows }: WindowSettings,
	ours: readonly Filled[],
	theirs: Filled,
): string {
	const least = (windows - 1) * windowSeconds;
	return [
		`**${quota * windows} pushes where the service takes ${quota} in ${windowSeconds} seconds**, so at least ${least} seconds:`,
		'',
		row('Node', 'Time', '÷ least', '429s', 'Failures', 'Duplicates'),
		row('---', '---', '---', '---', '---', '---'),
		...ours.map((filled) => filledRow('Beckon', filled)),
		filledRow('HTTP Request, Retry On Fail', theirs),
		'',
		`Median of Beckon: **${median(ours.map(({ ratio }) => ratio)).toFixed(3)}** × the least. Aim: 1.03 or less, without a 429, a failure or a duplicate. Retry On Fail tries five times, five seconds apart, the most that n8n allows; then it gives up: some pushes are lost, others are sent again although they had arrived.`,
	].join('\n');
}

function filledRow(
	name: string,
	{ milliseconds, ratio, refusals, failures, duplicates }: Filled,
): string {
	const time = `${seconds(milliseconds)} s`;
	return row(name, time, ratio.toFixed(3), refusals, failures, duplicates);
}
