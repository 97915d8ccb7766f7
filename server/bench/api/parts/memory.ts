import { execFileSync } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startBeckon } from '../contestants/beckon.ts';
import { openPhones } from '../contestants/phones.ts';
import { megabytes, table, verdict, whole } from '../report.ts';
import { keyOf, seedAccounts, tokenOf } from '../seed.ts';
import type { Part } from './part.ts';

const AIM_BYTES = 150_000_000;

/** Milliseconds: long enough to free what connecting leaves behind, or to show that it stays. */
const SETTLE_MS = 5_000;

const AGENTS = 10;

/** Calls by each agent; none reaches a phone, so that the phones stay idle. */
const CALLS = 30;

/** Resident memory of the server's process. */
export const memory: Part = async ({ phones }) => {
	const server = await startBeckon(
		(write) => write((db) => seedAccounts(db, { first: 0, accounts: 1, phones })),
		undefined,
		undefined,
		{ BECKON_RATE_LISTS: '10000000' },
	);
	try {
		await settle();
		const atRest = residentBytes(server.pid);
		const tokens = Array.from({ length: phones }, (_, n) => tokenOf(n));
		const disconnect = await openPhones(server.url, tokens);
		await settle();
		const connected = residentBytes(server.pid);
		await useTools(server.url);
		await settle();
		const withAgents = residentBytes(server.pid);
		disconnect();
		const judged = (bytes: number) =>
			`aim < ${megabytes(AIM_BYTES)}: ${verdict(bytes < AIM_BYTES)}`;
		return [
			'## Memory',
			'Resident memory of the server on SQLite, a few seconds after the last phone connected; each phone holds an event stream open.',
			table(
				['Phones connected', 'Resident memory'],
				[
					['none, just started', megabytes(atRest)],
					[`${whole(phones)} (${judged(connected)})`, megabytes(connected)],
					[
						`${whole(phones)}, after ${AGENTS} agents have used the tools at /mcp (${judged(withAgents)})`,
						megabytes(withAgents),
					],
				],
			),
		].join('\n\n');
	} finally {
		await server.close();
	}
};

/** Agents that find the tools at /mcp and then call some, again and again. */
async function useTools(url: string): Promise<void> {
	const requestInit = { headers: { authorization: `Bearer ${keyOf(0)}` } };
	const agents = Array.from({ length: AGENTS }, async () => {
		const agent = new Client({ name: 'bench', version: '1' });
		await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
		await agent.listTools();
		for (let call = 0; call < CALLS; call += 1) {
			const { isError } = await agent.callTool({ name: 'list_channels', arguments: {} });
			if (isError) throw new Error('A tool failed');
		}
		await agent.close();
	});
	await Promise.all(agents);
}

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

function residentBytes(pid: number): number {
	return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1_024;
}
