import { cpus } from 'node:os';
import path from 'node:path';

import { writeSection } from '../../scripts/lib/write-section.ts';
import { engineVersion, HTTP_REQUEST_WITH_RETRIES, OURS, type Contestant } from './contestants.ts';
import { describeUnlimited, describeWindows } from './report.ts';
import { median } from './statistics.ts';
import { measureUnlimited } from './unlimited.ts';
import { fillWindows, type Filled } from './windows.ts';

const DOCUMENT = path.join(import.meta.dirname, '../../docs/benchmarks.md');

const AIMS = { unlimited: 1, windows: 1.03 };

/** The whole benchmark takes about two minutes; the short one only shows that it works. */
const isShort = process.argv.includes('--short');

const UNLIMITED = isShort ? { count: 100, repetitions: 1 } : { count: 1000, repetitions: 9 };

const WINDOWS = isShort
	? { quota: 10, windowSeconds: 1, windows: 3 }
	: { quota: 60, windowSeconds: 10, windows: 5 };

const WINDOWS_REPETITIONS = isShort ? 1 : 2;

const say = (line: string) => process.stdout.write(`${line}\n`);
const rounded = (values: readonly number[]) => values.map((value) => Math.round(value)).join(', ');
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

async function unlimited(): Promise<{ text: string; isMet: boolean }> {
	const { count, repetitions } = UNLIMITED;
	say(`(a) ${count} pushes without a limit, ${repetitions} times by turns`);
	const { ours, theirs, ratio } = await measureUnlimited(count, repetitions);
	say(`    Beckon        ${rounded(ours)} ms, median ${Math.round(median(ours))} ms`);
	say(`    HTTP Request  ${rounded(theirs)} ms, median ${Math.round(median(theirs))} ms`);
	const isMet = ratio <= AIMS.unlimited;
	say(`    Beckon ÷ HTTP Request: ${ratio.toFixed(2)} (median); aim ≤ 1.0: ${verdict(isMet)}`);
	return { text: describeUnlimited(UNLIMITED, { ours, theirs, ratio }), isMet };
}

async function fill(contestant: Contestant): Promise<Filled> {
	const filled = await fillWindows(contestant, WINDOWS);
	const { milliseconds, ratio, refusals, failures, duplicates } = filled;
	say(
		`    ${contestant.name}: ${Math.round(milliseconds)} ms = ${ratio.toFixed(3)} × the minimum, 429s ${refusals}, failures ${failures}, duplicates ${duplicates}`,
	);
	return filled;
}

async function windows(): Promise<{ text: string; isMet: boolean }> {
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
	const isFlawless = ours.every(
		({ refusals, failures, duplicates }) => refusals + failures + duplicates === 0,
	);
	const isMet = ratio <= AIMS.windows && isFlawless;
	say(
		`    Beckon: ${ratio.toFixed(3)} × the minimum (median); aim ≤ 1.03 without a 429, a failure or a duplicate: ${verdict(isMet)}`,
	);
	return { text: describeWindows(WINDOWS, ours, theirs), isMet };
}

say(`Node ${process.version}, n8n-core ${engineVersion}`);
const results = [await unlimited(), await windows()];
if (!isShort) {
	const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
	const conditions = `\`npm run bench:node\` on ${machine.trim()}, Node ${process.version}, n8n-core ${engineVersion}; node, n8n's engine and the server share the machine.`;
	writeSection(DOCUMENT, 'node', [conditions, ...results.map(({ text }) => text)].join('\n\n'));
	if (results.some(({ isMet }) => !isMet)) process.exitCode = 1;
}
