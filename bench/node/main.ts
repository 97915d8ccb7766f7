import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { writeResult } from '../../scripts/lib/write-result.ts';
import { InstalledTypes } from '../../test/engine/node-types.ts';
import {
	engineVersion,
	HTTP_REQUEST_FIELDS,
	HTTP_REQUEST_WITH_RETRIES,
	OURS,
	type Contestant,
} from './contestants.ts';
import { disposeEngines, prepareEngines, useEngine } from './expression-engines.ts';
import { measureManyRuns } from './many-runs.ts';
import { describeUnlimited, describeWindows } from './report.ts';
import { median } from './statistics.ts';
import { measureUnlimited, ratioTo } from './unlimited.ts';
import { fillWindows, type Filled } from './windows.ts';

/** Ratios: to HTTP Request with a field per value, to an earlier build, and to the least time. */
const AIMS = { unlimited: 1, earlier: 1.1, windows: 1.03 };

const EARLIER = 'the earlier build';

/**
 * The whole benchmark takes about ten minutes. The short one, for busy machines, prints its ratios and
 * fails only on a loss or a duplicate: a 429 may come where a window of a second passes unnoticed.
 */
const isShort = process.argv.includes('--short');

const UNLIMITED = isShort ? { count: 100, repetitions: 1 } : { count: 1000, repetitions: 9 };

const WINDOWS = isShort
	? { quota: 10, windowSeconds: 1, windows: 3 }
	: { quota: 60, windowSeconds: 10, windows: 5 };

const WINDOWS_REPETITIONS = isShort ? 1 : 2;

/** `--runs`: this many runs in one process, instead of the rest. */
const MANY_RUNS = 20_000;

/** The last thousand runs to the first: a listener or timer that stays would show in all three. */
const MANY_RUNS_AIM = 1.1;

interface Part {
	text: string;
	isMet: boolean;
	/** No loss, no duplicate, no 429. */
	isFlawless: boolean;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

/** An earlier build of this package, in a folder with its `dist`, to compare with. */
async function earlierBuilds(): Promise<Contestant[]> {
	const { compare } = parseArgs({
		options: { compare: { type: 'string' }, short: { type: 'boolean' }, runs: { type: 'boolean' } },
	}).values;
	if (compare === undefined) return [];
	const types = await InstalledTypes.load(path.resolve(compare));
	return [{ ...OURS, name: EARLIER, types }];
}

async function unlimited(): Promise<Part> {
	const { count, repetitions } = UNLIMITED;
	say(
		`(a) ${count} pushes without a limit, ${repetitions} alternating rounds; medians of the ratios`,
	);
	const others = await earlierBuilds();
	await prepareEngines();
	const measured = await measureUnlimited(count, repetitions, others);
	await disposeEngines();
	useEngine('legacy');
	const { cells, lost, duplicates } = measured;
	for (const cell of cells) {
		const ratios = [...cell.times.keys()]
			.filter((name) => name !== OURS.name)
			.map((name) => `${ratioTo(cell, name).toFixed(2)} × ${name}`);
		const ours = Math.round(median(cell.times.get(OURS.name) ?? []));
		say(`    ${cell.engine}, ${cell.expressions} expressions: ${ours} ms = ${ratios.join(', ')}`);
	}
	say(`    lost ${lost}, duplicates ${duplicates}`);
	const isMet = cells.every(
		(cell) =>
			ratioTo(cell, HTTP_REQUEST_FIELDS.name) <= AIMS.unlimited &&
			(others.length === 0 || ratioTo(cell, EARLIER) <= AIMS.earlier),
	);
	say(`    aim ≤ ${AIMS.unlimited} × ${HTTP_REQUEST_FIELDS.name}: ${verdict(isMet)}`);
	const isFlawless = lost + duplicates === 0;
	return { text: describeUnlimited(UNLIMITED, measured), isMet, isFlawless };
}

async function fill(contestant: Contestant): Promise<Filled> {
	const filled = await fillWindows(contestant, WINDOWS);
	const { milliseconds, ratio, refusals, failures, duplicates } = filled;
	say(
		`    ${contestant.name}: ${Math.round(milliseconds)} ms = ${ratio.toFixed(3)} × the minimum, 429s ${refusals}, failures ${failures}, duplicates ${duplicates}`,
	);
	return filled;
}

async function windows(): Promise<Part> {
	const { quota, windowSeconds, windows: count } = WINDOWS;
	const least = (count - 1) * windowSeconds;
	say(
		`(b) ${quota * count} pushes, ${quota} in a window of ${windowSeconds} s: ${least} s at least, ${WINDOWS_REPETITIONS} times`,
	);
	const ours: Filled[] = [];
	for (let repetition = 0; repetition < WINDOWS_REPETITIONS; repetition += 1) {
		ours.push(await fill(OURS));
	}
	const theirs = await fill(HTTP_REQUEST_WITH_RETRIES);
	const ratio = median(ours.map((filled) => filled.ratio));
	const isFlawless = ours.every(({ failures, duplicates }) => failures + duplicates === 0);
	const isMet = ratio <= AIMS.windows && isFlawless && ours.every(({ refusals }) => refusals === 0);
	say(
		`    Beckon: ${ratio.toFixed(3)} × the minimum (median); aim ≤ 1.03 without a 429, a failure or a duplicate: ${verdict(isMet)}`,
	);
	return { text: describeWindows(WINDOWS, ours, theirs), isMet, isFlawless };
}

async function manyRuns(): Promise<boolean> {
	const { first, last, missing } = await measureManyRuns(MANY_RUNS);
	const ratios = {
		'time per run': last.time / first.time,
		memory: last.heap / first.heap,
		'open resources': last.resources / first.resources,
	};
	say(`${MANY_RUNS} runs of three pushes; the last thousand to the first:`);
	for (const [name, ratio] of Object.entries(ratios)) say(`    ${name} × ${ratio.toFixed(2)}`);
	say(
		`    ${(first.heap / 1e6).toFixed(1)} MB, then ${(last.heap / 1e6).toFixed(1)} MB; ${missing} requests missing`,
	);
	const isMet = missing === 0 && Object.values(ratios).every((ratio) => ratio <= MANY_RUNS_AIM);
	say(`    aim ≤ ${MANY_RUNS_AIM} each: ${verdict(isMet)}`);
	return isMet;
}

say(`Node ${process.version}, n8n-core ${engineVersion}`);
if (process.argv.includes('--runs')) process.exit((await manyRuns()) ? 0 : 1);
const results = [await unlimited(), await windows()];
if (results.some(({ isFlawless }) => !isFlawless)) process.exitCode = 1;
if (!isShort) {
	const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
	const conditions = `\`npm run bench:node\` on ${machine.trim()}, Node ${process.version}, n8n-core ${engineVersion}; node, n8n's engine and the server share the machine.`;
	writeResult(
		'node',
		['# The n8n node', conditions, ...results.map(({ text }) => text)].join('\n\n'),
	);
	if (results.some(({ isMet }) => !isMet)) process.exitCode = 1;
}
