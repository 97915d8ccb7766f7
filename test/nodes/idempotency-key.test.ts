import type { InstanceSettings } from 'n8n-core';

import { agentWith } from '../engine/agent.ts';
import { core, require } from '../engine/n8n.ts';
import { BECKON, runBeckon, type OneNodeOptions } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';
import { runWorkflow } from '../engine/run-workflow.ts';
import { TestProxy } from '../engine/test-proxy.ts';
import { startBench, type Bench } from './bench.ts';

/** A push that the server may have got is sent again, with the same key. */

const PATH = '/api/push-notification';

let bench: Bench;
let proxy: TestProxy;

beforeAll(async () => {
	bench = await startBench({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});

afterAll(async () => {
	await bench.server.stop();
});

beforeEach(async () => {
	proxy = await TestProxy.start(bench.server.url);
});

afterEach(() => {
	proxy.stop();
});

const push = { resource: 'pushNotification', operation: 'send', title: 'Hello' };

const credentials = () => ({ beckonApi: { baseUrl: `${proxy.url}/api`, apiKey: bench.key } });

const send = async (parameters: object = {}, options: Partial<OneNodeOptions> = {}) =>
	await runBeckon({ ...push, ...parameters }, { ...options, credentials: credentials() });

/** The number of pushes that arrive while `work` runs. */
async function arriving(work: () => Promise<unknown>): Promise<number> {
	const before = (await bench.phone.inbox()).at(-1)?.id ?? 0;
	await work();
	return (await bench.phone.inbox(before)).length;
}

describe('an answer that is lost', () => {
	const loseOne = (then?: 'answer lost') =>
		proxy.disturb((nth) => (nth === 1 ? 'answer lost' : then));

	test('is asked for again, and the push arrives once', async () => {
		loseOne();
		const count = await arriving(async () => {
			expect((await send()).status).toBe('success');
		});
		expect([count, proxy.count(PATH)]).toEqual([1, 2]);
	});

	test('is asked for again for a push that repeats, and for a question', async () => {
		for (const [parameters, path] of [
			[{ options: { repeat: { values: { everyMinutes: 60, times: 1 } } } }, `${PATH}/repeated`],
			[{ operation: 'sendAndWait' }, '/api/questions'],
		] as const) {
			loseOne();
			expect(await arriving(async () => await send(parameters))).toBe(1);
			expect(proxy.count(path)).toBe(2);
		}
	});

	test('lets the push arrive once with Retry On Fail, too', async () => {
		loseOne('answer lost');
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		expect(await arriving(async () => await send({}, { node }))).toBe(1);
	});
});

describe('the same push arrives', () => {
	test('once from an execution that n8n starts again', async () => {
		const again = async () => await send({}, { executionId: 'crashed' });
		expect(await arriving(async () => [await again(), await again()])).toBe(1);
	});

	test('twice if its text has the time', async () => {
		const again = async () =>
			await send({ message: '={{ $now.toMillis() }}' }, { executionId: 'clock' });
		expect(await arriving(async () => [await again(), await again()])).toBe(2);
	});

	test('from each of two instances with equal executions', async () => {
		const { Container } = require('@n8n/di') as { Container: { get: <T>(type: unknown) => T } };
		const settings = Container.get<{
			-readonly [K in keyof InstanceSettings]: InstanceSettings[K];
		}>(core.InstanceSettings);
		const own = settings.instanceId;
		const count = await arriving(async () => {
			await send({}, { executionId: '7' });
			settings.instanceId = 'another';
			await send({}, { executionId: '7' });
		});
		settings.instanceId = own;
		expect(count).toBe(2);
	});

	test('from each execution, and for each of its items', async () => {
		const items = [{}, {}];
		expect(await arriving(async () => [await send({}, { items }), await send()])).toBe(3);
	});

	test('in each run of a node in one execution', async () => {
		const node = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
		const to = (name: string) => ({ node: name, type: 'main' as const, index: 0 });
		const noOp = 'n8n-nodes-base.noOp';
		const count = await arriving(
			async () =>
				await runWorkflow({
					workflow: {
						nodes: [
							{ ...node, id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
							{ ...node, id: '2', name: 'First', type: noOp },
							{ ...node, id: '3', name: 'Second', type: noOp },
							{ ...node, id: '4', name: 'Beckon', type: BECKON, typeVersion: 2, parameters: push },
						],
						connections: {
							Start: { main: [[to('First'), to('Second')]] },
							First: { main: [[to('Beckon')]] },
							Second: { main: [[to('Beckon')]] },
						},
					},
					credentials: credentials(),
				}),
		);
		expect(count).toBe(2);
	});

	test('each time an agent calls the tool with the same text', async () => {
		const tool = await agentWith(push, credentials());
		expect(await arriving(async () => [await tool({}), await tool({})])).toBe(2);
	});
});

test('a key that another push has is not taken for missing recipients', async () => {
	const body = {
		error: 'Idempotency key reused',
		message: 'Another push was sent with this Idempotency-Key.',
		code: 'idempotency_key_reused',
	};
	const service = await RecordingServer.start({ status: 422, body });
	const { error } = await runBeckon(push, {
		credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
	});
	service.stop();
	expect(error).toMatchObject({
		message: body.message,
		description: '(HTTP 422: Idempotency key reused)',
	});
});
