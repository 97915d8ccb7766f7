import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runWorkflow, type RunOptions } from '../../test/engine/run-workflow.ts';
import { playApproval } from './approval.ts';
import { checkEverything, checkSideBySide } from './checks.ts';
import { EXAMPLES, readExample, type ExampleName } from './examples.ts';
import { Phone } from './phone.ts';
import { startServer } from './server.ts';
import { openSideBySide } from './side-by-side.ts';
import { tellEnd, tellHook, tellNode, tellStart, tellWorkflow } from './story.ts';
import { openWire, type Exchange, type Wire } from './wire.ts';

const PAUSE_BETWEEN_WORKFLOWS_MS = 2_500;

/** The time a spectator has to answer the approval on the phone. */
const PATIENCE_MS = 20_000;

/** The services that the examples run on. */
interface Stage {
	wire: Wire;
	key: string;
	phone: Phone;
	/** The time a person has to answer a question. */
	patienceMs: number;
	signal: AbortSignal;
}

/** Runs one example in n8n's engine and reports each step. @throws if the workflow failed */
async function play(
	name: ExampleName,
	{ wire, key, phone, patienceMs, signal }: Stage,
): Promise<Exchange[]> {
	const workflow = readExample(name, wire.hooksUrl);
	tellWorkflow(workflow.name ?? name);
	const all: Exchange[] = [];
	const options: RunOptions = {
		workflow,
		credentials: { beckonApi: { baseUrl: wire.baseUrl, apiKey: key } },
		signal,
		onNodeFinished: (node) => {
			const exchanges = wire.take();
			all.push(...exchanges);
			tellNode(node, exchanges);
		},
	};
	if (name === 'approval') {
		await playApproval(options, phone, { patienceMs, signal });
		return all;
	}
	const { status, error } = await runWorkflow(options);
	if (!signal.aborted && status !== 'success') {
		throw new Error(
			`The workflow ${name} ended as ${status}: ${error?.message ?? 'no reason given'}`,
		);
	}
	return all;
}

async function playOnce(stage: Stage): Promise<void> {
	const { wire, phone, signal } = stage;
	const exchanges: Exchange[] = [];
	for (const name of EXAMPLES) exchanges.push(...(await play(name, stage)));
	if (signal.aborted) throw new Error('The demo was interrupted');
	tellWorkflow('What the phone says');
	await checkEverything(phone, exchanges, wire);
}

async function playUntilStopped(stage: Stage): Promise<void> {
	const { wire, signal } = stage;
	wire.onHook(tellHook);
	for (let turn = 0; !signal.aborted; turn += 1) {
		await play(EXAMPLES[turn % EXAMPLES.length] ?? EXAMPLES[0], stage);
		await pause(PAUSE_BETWEEN_WORKFLOWS_MS, undefined, { signal }).catch((error: unknown) => {
			if (!signal.aborted) throw error;
		});
	}
	tellEnd('Stopped.');
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
	const stop = new AbortController();
	process.once('SIGINT', () => stop.abort());
	process.once('SIGTERM', () => stop.abort());

	const server = await startServer();
	const { seed } = server;
	const wire = await openWire(server.url);
	const phonePage = `${server.url}/phone#token=${seed.device_token}`;
	const pairPage = `${server.url}/phone#code=${seed.pair_code}`;
	const both = await openSideBySide(server.url, phonePage, server.owner);
	try {
		tellStart({ both: both.url, phone: phonePage, pair: pairPage, url: server.url });
		const phone = new Phone(server.url, seed.device_token);
		const stage = { wire, key: seed.key, phone, signal: stop.signal };
		if (values.once) {
			await playOnce({ ...stage, patienceMs: 0 });
			await checkSideBySide(both.url);
			tellEnd('Everything arrived.');
		} else await playUntilStopped({ ...stage, patienceMs: PATIENCE_MS });
	} finally {
		both.close();
		wire.close();
		await server.stop();
	}
}

try {
	await main();
	// n8n's engine keeps its own timers.
	process.exit(0);
} catch (error) {
	process.stderr.write(
		`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`,
	);
	process.exit(1);
}
