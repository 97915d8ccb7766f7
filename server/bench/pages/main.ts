import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import lighthouse from 'lighthouse';
import { median } from '../../../bench/node/statistics.ts';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { launchPersistent } from '../../test/browser/support/browser.ts';
import { startBeckon } from '../api/contestants/beckon.ts';
import { table, verdict } from '../api/report.ts';
import { keyOf, seedAccounts, tokenOf } from '../api/seed.ts';
import { seedMember } from './seed-member.ts';

/** The account whose console is opened, and its phones. */
const CONSOLE = { first: 0, accounts: 1, phones: 200 };

/** The account of the phone whose page is opened, and what that phone shows. */
const PHONE = { first: 1_000, accounts: 1, phones: 1 };
const MESSAGES = 50;

const PAGES = [
	{ name: `Phone, paired, ${MESSAGES} messages`, path: '/phone', aim: 95 },
	{ name: `Console, signed in, ${CONSOLE.phones} phones`, path: '/console', aim: 90 },
	{ name: 'Console, the list of those phones', path: '/console#/devices', aim: 90 },
];

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '5' },
		write: { type: 'boolean', default: false },
	},
});
const rounds = Number(values.rounds);

interface Figures {
	score: number;
	firstPaint: number;
	largestPaint: number;
	blocked: number;
	shift: number;
	kilobytes: number;
}

/** One visit with an empty cache and no service worker, but with cookies and the pairing. */
async function measure(url: string, port: number): Promise<Figures> {
	const result = await lighthouse(url, {
		port,
		onlyCategories: ['performance'],
		formFactor: 'mobile',
		logLevel: 'error',
	});
	if (!result) throw new Error(`Lighthouse measured nothing at ${url}`);
	const { audits, categories, runtimeError } = result.lhr;
	if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`);
	const numberOf = (audit: string) => audits[audit]?.numericValue ?? NaN;
	return {
		score: Math.round((categories['performance']?.score ?? NaN) * 100),
		firstPaint: numberOf('first-contentful-paint'),
		largestPaint: numberOf('largest-contentful-paint'),
		blocked: numberOf('total-blocking-time'),
		shift: numberOf('cumulative-layout-shift'),
		kilobytes: numberOf('total-byte-weight') / 1_000,
	};
}

async function push(api: string, number: number): Promise<void> {
	const answer = await fetch(`${api}/push-notification`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${keyOf(PHONE.first)}`,
			'content-type': 'application/json',
		},
		body: JSON.stringify({
			title: `Order ${number} is on its way`,
			message: '2 × Sourdough, 1 × Rye. Pick-up tomorrow at 8:00.',
		}),
	});
	if (!answer.ok) throw new Error(`The push was refused: ${await answer.text()}`);
}

let session = '';
const server = await startBeckon((write) =>
	write(async (db) => {
		await seedAccounts(db, CONSOLE);
		await seedAccounts(db, PHONE);
		session = await seedMember(db, CONSOLE.first);
	}),
);
const profile = mkdtempSync(join(tmpdir(), 'beckon-pages-'));
const { page, context } = await launchPersistent(profile, { args: ['--remote-debugging-port=0'] });
const [port] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n').map(Number);
const rows: string[][] = [];
const verdicts: string[] = [];
try {
	for (let number = 1; number <= MESSAGES; number += 1) await push(`${server.url}/api`, number);
	await page.goto(`${server.url}/phone#token=${tokenOf(PHONE.first)}`);
	await page.getByText(`Order ${MESSAGES} is on its way`).waitFor();
	await context.addCookies([
		{ name: 'beckon_session', value: session, url: `${server.url}/console` },
	]);
	await page.goto('about:blank');
	for (const { name, path, aim } of PAGES) {
		const visits: Figures[] = [];
		for (let round = 1; round <= rounds; round += 1) {
			const figures = await measure(server.url + path, port ?? NaN);
			visits.push(figures);
			process.stderr.write(`${name}, round ${round}: ${JSON.stringify(figures)}\n`);
		}
		const of = (figure: keyof Figures) => median(visits.map((visit) => visit[figure]));
		const seconds = (figure: 'firstPaint' | 'largestPaint') =>
			`${(of(figure) / 1_000).toFixed(1)} s`;
		rows.push([
			name,
			String(of('score')),
			seconds('firstPaint'),
			seconds('largestPaint'),
			`${Math.round(of('blocked'))} ms`,
			of('shift').toFixed(3),
			`${Math.round(of('kilobytes'))} KB`,
		]);
		verdicts.push(`${name}: aim ≥ ${aim}: ${verdict(of('score') >= aim)}`);
	}
} finally {
	await context.close();
	rmSync(profile, { recursive: true });
	await server.close();
}

const text = `
# Page loads

\`npm run bench:pages -- --write\` on ${circumstances()}, with Lighthouse's mobile settings (a phone four
times slower, a slow 4G network) on Chromium: medians of ${rounds} first visits, with an empty cache.

${table(['Page', 'Score', 'First paint', 'Largest paint', 'Blocked', 'Layout shift', 'Size'], rows)}

${verdicts.map((line) => `- ${line}`).join('\n')}
`;
process.stdout.write(`${text}\n`);
if (values.write) writeResult('pages', text);
