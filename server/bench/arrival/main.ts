import { parseArgs } from 'node:util';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { table, verdict } from '../api/report.ts';
import { measure, type Measured } from './measure.ts';
import { scenarios, SHORT } from './rows.ts';

/** Seconds within which 99 of 100 pushes must reach the push service or the page. */
const AIM = 12;

const { values } = parseArgs({
	options: {
		/** Three rows for 20 s instead of all for two minutes. */
		short: { type: 'boolean', default: false },
		only: { type: 'string', multiple: true },
	},
});
const isShort = values.short;
const timing = isShort ? { seconds: 20, scale: 0.1 } : { seconds: 120, scale: 1 };

/** Runs at the same time: they mostly wait. */
const AT_ONCE = isShort ? 3 : 5;

const known = scenarios(timing.scale);
for (const name of values.only ?? [])
	if (!(name in known)) throw new Error(`--only must be one of: ${Object.keys(known).join(', ')}`);
const chosen = Object.entries(known).filter(([name]) =>
	(values.only ?? (isShort ? SHORT : [name])).includes(name),
);
const runs = chosen.flatMap(([name, scenario]) => {
	const stores = isShort ? [scenario.store ?? 'sqlite'] : ['sqlite', 'postgres'];
	return stores
		.filter((store) => [undefined, store].includes(scenario.store))
		.map((store) => ({ name: `${name}, ${store}`, scenario, store }));
});

const seconds = (waits: readonly number[], share: number) =>
	(waits[Math.ceil(waits.length * share) - 1] ?? Infinity) / 1_000;

const all: Array<Measured & { name: string }> = [];
for (let from = 0; from < runs.length; from += AT_ONCE) {
	const some = runs.slice(from, from + AT_ONCE).map(async ({ name, scenario, store }) => ({
		name,
		...(await measure(scenario, store, timing)),
	}));
	all.push(...(await Promise.all(some)));
}
const rows = all.map(({ name, pushes, waits, lost, twice }) => {
	const times = [0.5, 0.99].map((share) => `${seconds(waits, share).toFixed(1)} s`);
	return [name, String(pushes), ...times, String(lost), String(twice)];
});
const isTimely = all.every(({ waits }) => seconds(waits, 0.99) <= AIM);
const isFlawless = all.length > 0 && all.every(({ lost, twice }) => lost + twice === 0);

const text = [
	'# Time until a push arrives',
	`\`npm run test:arrival\` on ${circumstances()}. 50 pushes a minute for ${timing.seconds} s, to one browser: from acceptance, or the end of an outage, to the first attempt at its push service or the acknowledgement of its page. Network failures are made by a proxy of its own, not in network namespaces; the page is its session without a browser; a hidden tab is one that acknowledges 15 s late.`,
	table(['', 'pushes', 'p50', 'p99', 'lost', 'shown twice'], rows),
	`Aim: p99 ≤ ${AIM} s, none lost, none shown twice: ${verdict(isTimely && isFlawless)}.`,
].join('\n\n');
process.stdout.write(`${text}\n`);
if (!isShort && !values.only) writeResult('arrival', text);
// The short form is for busy machines: it fails only on a loss or a duplicate.
if (!isFlawless || (!isTimely && !isShort)) process.exitCode = 1;
