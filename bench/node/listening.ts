import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { circumstances } from '../../scripts/lib/circumstances.ts';
import { writeResult } from '../../scripts/lib/write-result.ts';
import { TestServer } from '../../test/engine/server.ts';
import { startTrigger } from '../../test/engine/trigger.ts';
import { until } from '../../test/n8n/support/wait.ts';
import { ownFigures, type ProcessFigures } from './process-figures.ts';

const MAIN = path.join(import.meta.dirname, '../../server/dist/main.js');

const LISTENERS = 100;

const IDLE_SECONDS = 60;

/** Long enough for what starting leaves to do. */
const SETTLE_MS = 5_000;

const TAPS = 1_000;

/** After the first, which fills caches. */
const ROUNDS = 3;

const PLENTY = '10000000';

const { write } = parseArgs({ options: { write: { type: 'boolean', default: false } } }).values;

interface Sides {
	server: ProcessFigures;
	node: ProcessFigures;
}

const server = await TestServer.start(
	{
		BECKON_RATE_PER_ADDRESS: PLENTY,
		BECKON_RATE_PER_DEVICE: PLENTY,
		BECKON_RATE_TRIGGERS: PLENTY,
		NODE_OPTIONS: `--no-warnings --import ${path.join(import.meta.dirname, 'process-figures.ts')}`,
	},
	MAIN,
);

async function figures(): Promise<Sides> {
	const all = () => [...server.log().matchAll(/^figures: (.*)$/gm)];
	const seen = all().length;
	server.signal('SIGUSR2');
	const [, written = ''] = await until(() => all()[seen], { what: 'figures of the server' });
	return { server: JSON.parse(written) as ProcessFigures, node: await ownFigures() };
}

/** The share of a core that each side used while nothing happened, as a text. */
async function idleCpu(): Promise<string[]> {
	await setTimeout(SETTLE_MS);
	const before = await figures();
	await setTimeout(IDLE_SECONDS * 1000);
	const after = await figures();
	return (['server', 'node'] as const).map((side) => {
		const used = after[side].cpuBefore - before[side].cpuAfter;
		return `${(used / (IDLE_SECONDS * 10)).toFixed(2)} %`;
	});
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

try {
	const { key: apiKey, phone } = await server.seedDemo();
	const access = { baseUrl: server.baseUrl, apiKey };
	let executions = 0;
	const listen = async (name: string) =>
		await startTrigger({
			name,
			access,
			emit: ({ execution }) => {
				executions += 1;
				execution?.resolve({});
			},
		});
	const call = async (method: string, route: string, body?: object): Promise<unknown> => {
		const response = await fetch(`${access.baseUrl}${route}`, {
			method,
			headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(await response.text());
		return await response.json();
	};

	// The first takes longer than all others.
	await (await listen('First')).closeFunction?.();
	const without = await idleCpu();
	const idle = await Promise.all(
		Array.from({ length: LISTENERS }, async (_, index) => await listen(`Idle ${index}`)),
	);
	const listening = await idleCpu();
	await Promise.all(idle.map(async ({ closeFunction }) => await closeFunction?.()));

	const { closeFunction } = await listen('Tapped');
	const { triggers } = (await call('GET', '/triggers?limit=200')) as {
		triggers: Array<{ trigger_id: string; name: string }>;
	};
	const id = triggers.find(({ name }) => name === 'Tapped')?.trigger_id ?? '';
	const url = `${access.baseUrl}/triggers/${id}?every_tap=true`;
	await call('POST', '/push-notification', {
		title: 'Tap me',
		actions: [{ title: 'Go', type: 'webhook', url }],
	});
	const push = (await phone.inbox()).at(-1);
	const sizes: Sides[] = [];
	for (let round = 0; round <= ROUNDS; round += 1) {
		for (let tap = 0; tap < TAPS; tap += 1)
			await phone.tap({ delivery_id: push?.id ?? 0, action: 0 });
		await until(() => executions >= (round + 1) * TAPS || undefined, { what: 'executions' });
		await setTimeout(SETTLE_MS);
		sizes.push(await figures());
	}
	if (executions !== (ROUNDS + 1) * TAPS) throw new Error(`There were ${executions} executions`);
	await closeFunction?.();

	const text = `
# Listening for taps

\`node_modules/.bin/node --no-warnings bench/node/listening.ts --write\`, after \`npm run build\`, on
${circumstances()}: real listeners of the node in n8n's engine, in one process, and the server in another, on SQLite. The
share of a core that each uses in ${IDLE_SECONDS} s in which nobody taps:

| Listeners | Server | Node |
| --- | ---: | ---: |
${row(['none', ...without])}
${row([String(LISTENERS), ...listening])}

What is in the heap after a garbage collection, with one listener whose executions end at once; each tap was executed
once:

| Taps so far | Server | Node |
| --- | ---: | ---: |
${sizes
	.map(({ server: ofServer, node }, round) =>
		row([
			((round + 1) * TAPS).toLocaleString('en-US'),
			megabytes(ofServer.heapBytes),
			megabytes(node.heapBytes),
		]),
	)
	.join('\n')}`;
	process.stdout.write(`${text}\n`);
	if (write) writeResult('listening', text);
} finally {
	await server.stop();
}
