import { runBeckon } from '../engine/one-node.ts';
import { TestProxy, type Mishap } from '../engine/test-proxy.ts';
import type { Delivery } from '../../server/src/contract/device.ts';
import { startBench, type Bench } from './bench.ts';

const push = { resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' };

const titles = (prefix: string, count: number) =>
	Array.from({ length: count }, (_, index) => ({ title: `${prefix}${index + 1}` }));

const titleOf = (delivery: Delivery) => (delivery.kind === 'push' ? delivery.push.title : '');

let bench: Bench;
let proxy: TestProxy;

beforeAll(async () => {
	bench = await startBench({ BECKON_RATE_NOTIFICATIONS: '4', BECKON_RATE_WINDOW_SECONDS: '2' });
	proxy = await TestProxy.start(bench.server.url);
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

describe('several streams in turn, while the service refuses some of their requests', () => {
	const STREAMS = ['north', 'south', 'west'];

	const items = Array.from({ length: 24 }, (_, index) => ({
		stream: STREAMS[index % STREAMS.length] ?? '',
		percentage: String(index),
	}));

	const upsert = {
		resource: 'liveActivity',
		operation: 'upsert',
		streamKey: '={{ $json.stream }}',
		activityType: 'progress',
		title: '={{ $json.stream }}',
		percentage: '={{ $json.percentage }}',
	};

	afterEach(() => {
		proxy.disturb(() => undefined);
	});

	test.each<[string, Mishap]>([
		['for the request rate', { status: 429, retryAfter: 1 }],
		['because it is restarted', { status: 503 }],
		['by hanging up', 'request lost'],
	])('%s: each keeps the order of its items', async (_why, mishap) => {
		const before = (await bench.phone.inbox()).at(-1)?.id ?? 0;
		proxy.disturb((nth) => (nth === 1 || nth === 4 || nth === 9 ? mishap : undefined));

		expect((await run(upsert, items)).status).toBe('success');

		const deliveries = await bench.phone.inbox(before);
		for (const stream of STREAMS) {
			expect(percentagesOf(deliveries, stream)).toEqual(
				items.filter((item) => item.stream === stream).map(({ percentage }) => Number(percentage)),
			);
		}
	});
});

/** The states of a stream on the phone, in order. */
function percentagesOf(deliveries: Delivery[], stream: string): number[] {
	return deliveries.flatMap((delivery) =>
		'activity' in delivery &&
		delivery.activity.stream_key === stream &&
		delivery.activity.content_state.type === 'progress'
			? [delivery.activity.content_state.percentage ?? NaN]
			: [],
	);
}
