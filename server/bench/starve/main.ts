import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../../bench/node/statistics.ts';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeSection } from '../../../scripts/lib/write-section.ts';
import { startBeckon } from '../api/contestants/beckon.ts';
import { seedHistory } from '../api/parts/growth.ts';
import { ms, table, verdict, whole } from '../api/report.ts';
import { seedAccounts } from '../api/seed.ts';
import { Bystander, type Felt } from './bystander.ts';
import { FLOODS } from './floods.ts';
import { LAST_TOLD, MANY_PHONES } from './open-pages.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/benchmarks.md');

const AIM_MS = 100;

/** For the last open page that a push reaches. */
const LAST_TOLD_AIM_MS = 1_000;

/** Deliveries of the phone whose history is searched. */
const HISTORY = 100_000;

/** A flood needs a moment to begin, and the server one to recover. */
const PAUSE_MS = 500;

const WARM_UP_SECONDS = 2;

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '5' },
		seconds: { type: 'string', default: '3' },
		write: { type: 'boolean', default: false },
	},
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

interface Round {
	idle: Felt;
	during: Felt;
	answers: Record<string, number>;
}

/** Measures the second account, idle and during a flood. */
async function measure(url: string, name: string, bystander: Bystander): Promise<Round> {
	// The first requests of server and client take longer than all others.
	await bystander.feel(WARM_UP_SECONDS);
	await setTimeout(PAUSE_MS);
	const idle = await bystander.feel(seconds);
	const flooder = fork(join(import.meta.dirname, 'flooder.ts'), [url, name], {
		execArgv: ['--no-warnings'],
	});
	const ended = new Promise<Record<string, number>>((resolve, reject) => {
		flooder.once('message', () =>
			flooder.once('message', (answers) => resolve(answers as Record<string, number>)),
		);
		flooder.once('exit', (code) => reject(new Error(`The flood ended with ${code}`)));
	});
	await Promise.race([once(flooder, 'message'), ended]);
	await setTimeout(PAUSE_MS);
	const during = await bystander.feel(seconds);
	flooder.send('stop');
	return { idle, during, answers: await ended };
}

const rows: string[][] = [];
const verdicts: string[] = [];
/** Figures of a flood's own. */
const notes: string[] = [];
for (const name of Object.keys(FLOODS)) {
	const measured: Round[] = [];
	for (let round = 1; round <= rounds; round += 1) {
		// A fresh server: no flood is refused because of the one before.
		const server = await startBeckon(
			async (write) => {
				await write((db) => seedAccounts(db, { first: 0, accounts: 2, phones: 1 }));
				await write((db) => seedAccounts(db, MANY_PHONES));
				await seedHistory(write, HISTORY, () => undefined);
			},
			undefined,
			undefined,
			{ BECKON_TRUSTED_PROXIES: '127.0.0.1', BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
		);
		const bystander = new Bystander(server.url);
		try {
			await bystander.start();
			const result = await measure(server.url, name, bystander);
			measured.push(result);
			for (const [failure, times] of [...result.idle.failures, ...result.during.failures])
				process.stderr.write(`${times} × ${failure}\n`);
			process.stderr.write(
				`${name}, round ${round}: pushes ${ms(result.idle.pushes)} → ${ms(result.during.pushes)}, taps ${ms(result.idle.taps)} → ${ms(result.during.taps)}; answers ${JSON.stringify(result.answers)}\n`,
			);
		} finally {
			bystander.close();
			await server.close();
		}
	}
	for (const what of ['pushes', 'taps'] as const) {
		const idle = median(measured.map((round) => round.idle[what]));
		const during = median(measured.map((round) => round.during[what]));
		rows.push([`${name}: ${what}`, ms(idle), ms(during), (during / idle).toFixed(1)]);
		verdicts.push(`${name}, ${what}: aim ≤ ${AIM_MS} ms: ${verdict(during <= AIM_MS)}`);
	}
	const lastTold = measured.flatMap(({ answers }) => answers[LAST_TOLD] ?? []);
	if (lastTold.length > 0) {
		const slowest = median(lastTold);
		notes.push(
			`${name}: ${whole(slowest)} ms ${LAST_TOLD} (aim ≤ ${whole(LAST_TOLD_AIM_MS)} ms: ${verdict(slowest <= LAST_TOLD_AIM_MS)}).`,
		);
	}
}

const text = `
\`npm run bench:starve -- --write\` on ${circumstances()}. What a second account feels of each
flood: the 99th percentile of its pushes, 40 a second, and of taps on its webhook button, 8 a second, in
${seconds} s; medians of ${rounds} rounds, each on a fresh server. The flooded phone has a history of
${whole(HISTORY)} pushes. The open pages are each of another phone; the account has 10,000.

${[table(['Flood', 'Idle', 'During', 'Ratio'], rows), ...notes].join('\n\n')}
`;
process.stdout.write(`${text}\n${verdicts.join('\n')}\n`);
if (values.write) writeSection(DOCUMENT, 'starve', text);
