import { CountingProxy } from '../engine/counting-proxy.ts';
import { runBeckon } from '../engine/one-node.ts';
import type { Delivery } from '../../server/src/contract/device.ts';
import { startBench, type Bench } from './bench.ts';

const push = { resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' };

const titles = (prefix: string, count: number) =>
	Array.from({ length: count }, (_, index) => ({ title: `${prefix}${index + 1}` }));

const titleOf = (delivery: Delivery) => (delivery.kind === 'push' ? delivery.push.title : '');

let bench: Bench;
let proxy: CountingProxy;

beforeAll(async () => {
	bench = await startBench({ BECKON_RATE_NOTIFICATIONS: '4', BECKON_RATE_WINDOW_SECONDS: '2' });
	proxy = await CountingProxy.start(bench.server.url);
});

afterAll(async () => {
	proxy.stop();
	await bench.server.stop();
});

async function run(parameters: object, items: Array<Record<string, string>>) {
	return await runBeckon(parameters as never, {
		items,
		credentials: { beckonApi: { baseUrl: `${proxy.url}/api`, apiKey: bench.key } },
	});
}

test('two runs at once share the allowance: no refusal, nothing lost, nothing twice', async () => {
	const runs = await Promise.all([run(push, titles('a', 7)), run(push, titles('b', 4))]);

	expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
	expect(proxy.refusals).toBe(0);
	const arrived = (await bench.phone.inbox()).map(titleOf);
	expect(arrived.toSorted()).toEqual([...titles('a', 7), ...titles('b', 4)].map((i) => i.title));
});

test('values of one metric keep the order of their items', async () => {
	const key = 'cpu.load';
	const values = Array.from({ length: 30 }, (_, index) => ({ value: String(index) }));

	await run(
		{ resource: 'metric', operation: 'setValue', key, value: '={{ $json.value }}' },
		values,
	);

	const { metrics } = await bench.phone.snapshot();
	expect(metrics.find((metric) => metric.key === key)?.value).toBe(29);
});
