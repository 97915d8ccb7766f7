import { once } from 'node:events';
import { parseArgs } from 'node:util';

import { runBeckon } from '../engine/one-node.ts';

/**
 * Sends pushes with the node in n8n's engine, in one execution after another, until the standard input ends. Prints
 * a line after each, and in the end what it sent and what failed, as JSON. The server's tests of outages run it as a process of its own.
 */

/** Executions under way at once. */
const PARALLEL = 4;

/** Items of an execution. */
const ITEMS = 5;

const {
	'base-url': baseUrl = '',
	'api-key': apiKey = '',
	name: runName = '',
} = parseArgs({
	options: {
		'base-url': { type: 'string' },
		'api-key': { type: 'string' },
		name: { type: 'string' },
	},
}).values;

const titles: string[] = [];
const failures: string[] = [];
let isOver = false;

async function execute(name: string): Promise<void> {
	const items = Array.from({ length: ITEMS }, (_, index) => ({ title: `${name}, item ${index}` }));
	titles.push(...items.map(({ title }) => title));
	const { status, error } = await runBeckon(
		{ resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' },
		{ items, credentials: { beckonApi: { baseUrl, apiKey } } },
	);
	process.stdout.write('executed\n');
	if (status !== 'success') failures.push(`${name}: ${error?.message} ${error?.description}`);
}

async function executeInTurn(name: string): Promise<void> {
	for (let round = 1; !isOver; round += 1) await execute(`${name}, execution ${round}`);
}

process.stdin.resume();
const end = once(process.stdin, 'end');
// A node repeats what may have arrived only at a server that has told it that this is safe.
await execute(`${runName}, first`);
const load = Array.from(
	{ length: PARALLEL },
	async (_, n) => await executeInTurn(`${runName}, loop ${n}`),
);
await end;
isOver = true;
await Promise.all(load);
process.stdout.write(`${JSON.stringify({ titles, failures })}\n`);
