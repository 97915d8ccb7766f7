import { engineVersion, HTTP_REQUEST_WITH_RETRIES, OURS, type Contestant } from './contestants.ts';
import { median } from './statistics.ts';
import { measureUnlimited } from './unlimited.ts';
import { fillWindows, type Filled } from './windows.ts';

const UNLIMITED_ITEMS = 1000;
const UNLIMITED_REPETITIONS = 5;
const WINDOWS = { quota: 60, windowSeconds: 10, windows: 5 };
const WINDOWS_REPETITIONS = 2;

const AIMS = { unlimited: 1, windows: 1.03 };

const say = (line: string) => process.stdout.write(`${line}\n`);
const rounded = (values: readonly number[]) => values.map((value) => Math.round(value)).join(', ');
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

async function unlimited(): Promise<boolean> {
	say(`(a) ${UNLIMITED_ITEMS} pushes without a limit, ${UNLIMITED_REPETITIONS} times by turns`);
	const { ours, theirs, ratio } = await measureUnlimited(UNLIMITED_ITEMS, UNLIMITED_REPETITIONS);
	say(`    Beckon        ${rounded(ours)} ms, median ${Math.round(median(ours))} ms`);
	say(`    HTTP Request  ${rounded(theirs)} ms, median ${Math.round(median(theirs))} ms`);
	const isMet = ratio <= AIMS.unlimited;
	say(`    Beckon ÷ HTTP Request: ${ratio.toFixed(2)} (median); aim ≤ 1.0: ${verdict(isMet)}`);
	return isMet;
}

async function fill(contestant: Contestant): Promise<Filled> {
	const filled = await fillWindows(contestant, WINDOWS);
	const { milliseconds, ratio, refusals, failures, duplicates } = filled;
	say(
		`    ${contestant.name}: ${Math.round(milliseconds)} ms = ${ratio.toFixed(3)} × the minimum, 429s ${refusals}, failures ${failures}, duplicates ${duplicates}`,
	);
	return filled;
}

async function windows(): Promise<boolean> {
	const { quota, windowSeconds, windows: count } = WINDOWS;
	const least = (count - 1) * windowSeconds;
	say(
		`(b) ${quota * count} pushes, ${quota} in a window of ${windowSeconds} s: ${least} s at least, ${WINDOWS_REPETITIONS} times`,
	);
	const ours: Filled[] = [];
	for (let repetition = 0; repetition < WINDOWS_REPETITIONS; repetition += 1) {
		ours.push(await fill(OURS));
	}
	await fill(HTTP_REQUEST_WITH_RETRIES);
	const ratio = median(ours.map((filled) => filled.ratio));
	const isFlawless = ours.every(
		({ refusals, failures, duplicates }) => refusals + failures + duplicates === 0,
	);
	const isMet = ratio <= AIMS.windows && isFlawless;
	say(
		`    Beckon: ${ratio.toFixed(3)} × the minimum (median); aim ≤ 1.03 without a 429, a failure or a duplicate: ${verdict(isMet)}`,
	);
	return isMet;
}

say(`Node ${process.version}, n8n-core ${engineVersion}`);
const results = [await unlimited(), await windows()];
if (results.includes(false)) process.exitCode = 1;
