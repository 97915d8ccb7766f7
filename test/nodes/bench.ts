import type { INodeParameters } from 'n8n-workflow';

import { runBeckon, type OneNodeOptions } from '../engine/one-node.ts';
import type { Phone } from '../engine/phone.ts';
import type { WorkflowRun } from '../engine/run-workflow.ts';
import { TestServer, type Settings } from '../engine/server.ts';

/** The account that `seedDemo` creates, with the channels `ops` and `sales`. */
export const ACCOUNT = 'demo';

/** The real server with the demo account, its key and its phone, and a node that sends to it. */
export interface Bench {
	server: TestServer;
	key: string;
	phone: Phone;
	/** Runs one Beckon node in n8n's engine with the account's credential. */
	run: (parameters: INodeParameters, options?: BenchOptions) => Promise<WorkflowRun>;
}

interface BenchOptions extends Omit<OneNodeOptions, 'credentials'> {
	/** Instead of the account's key. */
	key?: string;
}

/** @param settings for tests of limits; by default all requests of a test file are allowed */
export async function startBench(settings: Settings = {}): Promise<Bench> {
	const server = await TestServer.start({
		BECKON_RATE_NOTIFICATIONS: '10000',
		BECKON_RATE_BADGES: '10000',
		...settings,
	});
	try {
		return await furnish(server);
	} catch (error) {
		// A server left running would keep the test process from ending.
		await server.stop();
		throw error;
	}
}

async function furnish(server: TestServer): Promise<Bench> {
	const { key, phone } = await server.seedDemo();
	return {
		server,
		key,
		phone,
		run: async (parameters, { key: apiKey = key, ...options } = {}) =>
			await runBeckon(parameters, {
				...options,
				credentials: { beckonApi: { baseUrl: server.baseUrl, apiKey } },
			}),
	};
}

/** The single item that a run put out. */
export function onlyItem(run: WorkflowRun) {
	const items = run.itemsOf('Beckon');
	expect({ status: run.status, message: run.error?.message, items: items.length }).toEqual({
		status: 'success',
		message: undefined,
		items: 1,
	});
	return items[0]!;
}
