import type { INode } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';
import { TestProxy } from '../engine/test-proxy.ts';
import { startBench, type Bench } from './bench.ts';

/** n8n's "Retry On Fail" runs all items again, even those already sent. */

let bench: Bench;
let proxy: TestProxy;

beforeAll(async () => {
	bench = await startBench();
	proxy = await TestProxy.start(bench.server.url);
	// So that the server drops nothing that is sent twice.
	proxy.dropsKeys = true;
});

afterAll(async () => {
	proxy.stop();
	await bench.server.stop();
});

beforeEach(() => {
	proxy.disturb(() => undefined);
});

const push = {
	resource: 'pushNotification',
	operation: 'send',
	title: '={{ $json.title }}',
	sendTo: 'channels',
	channels: '={{ $json.channel }}',
};

async function retried(channels: string[], onError: INode['onError']) {
	const before = (await bench.phone.inbox()).at(-1)?.id ?? 0;
	const run = await runBeckon(push, {
		items: channels.map((channel, index) => ({ title: `Push ${index}`, channel })),
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1, ...(onError && { onError }) },
		credentials: { beckonApi: { baseUrl: `${proxy.url}/api`, apiKey: bench.key } },
	});
	const arrived = await bench.phone.inbox(before);
	return {
		run,
		titles: arrived.map((delivery) => (delivery.kind === 'push' ? delivery.push.title : '')),
	};
}

test.each<[string, INode['onError']]>([
	['stops', undefined],
	['continues', 'continueRegularOutput'],
	['continues by its error output', 'continueErrorOutput'],
])('where the node %s, what arrived is not sent again', async (_how, onError) => {
	const { run, titles } = await retried(['ops', 'none-such', 'ops', 'sales'], onError);

	expect(titles).toEqual(['Push 0', 'Push 2', 'Push 3']);
	expect(run.status).toBe(onError ? 'success' : 'error');
});

test('on the error output, an item that was tried again keeps the fields of its input', async () => {
	const { run } = await retried(['none-such', 'ops'], 'continueErrorOutput');

	expect(run.itemsOf('Beckon', 1)).toEqual([
		{
			json: {
				title: 'Push 0',
				channel: 'none-such',
				error: expect.stringContaining('none-such') as string,
			},
			pairedItem: { item: 0 },
		},
	]);
	expect(run.itemsOf('Beckon', 0)).toMatchObject([{ pairedItem: { item: 1 } }]);
});

test('what failed for a passing reason is sent again where the error output is used, too', async () => {
	proxy.disturb((nth) => (nth === 1 ? { status: 500 } : undefined));

	const { run, titles } = await retried(['ops', 'ops'], 'continueErrorOutput');

	expect(titles.toSorted()).toEqual(['Push 0', 'Push 1']);
	expect(run.itemsOf('Beckon', 1)).toEqual([]);
});

test.each<INode['onError']>([undefined, 'continueErrorOutput'])(
	'a question that may have arrived is not asked again, with onError %s',
	async (onError) => {
		proxy.disturb(() => ({ status: 502 }));
		const before = proxy.count('/api/questions');

		await runBeckon(
			{ resource: 'pushNotification', operation: 'sendAndWait', title: 'Deploy?' },
			{
				node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1, ...(onError && { onError }) },
				credentials: { beckonApi: { baseUrl: `${proxy.url}/api`, apiKey: bench.key } },
			},
		);

		// The attempts of the first try.
		expect(proxy.count('/api/questions')).toBe(before + 4);
	},
);

test('a push that may have arrived is not sent again, and the user is told', async () => {
	proxy.disturb(() => ({ status: 502 }));

	const { run, titles } = await retried(['ops'], undefined);

	expect(titles).toEqual([]);
	expect(proxy.count('/api/push-notification')).toBe(4);
	expect(run.error?.message).toContain('HTTP 502 from a proxy');
});

test('what was refused for a passing reason is sent again, once', async () => {
	proxy.disturb((nth) => (nth === 1 ? { status: 500 } : undefined));

	const { run, titles } = await retried(['ops', 'ops'], undefined);

	expect(run.status).toBe('success');
	expect(titles.toSorted()).toEqual(['Push 0', 'Push 1']);
});
