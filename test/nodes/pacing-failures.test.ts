import type { INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';
import { TestProxy, type Mishap } from '../engine/test-proxy.ts';
import { startBench, type Bench } from './bench.ts';

const upsert = { resource: 'liveActivity', operation: 'upsert' };
const activity = { activityType: 'progress', title: 'T', percentage: 1 };

interface Operation {
	path: string;
	parameters: INodeParameters;
}

/** A repeat of these sets the same state again; that of a push has its key. */
const REPEATABLE: Operation[] = [
	{ path: '/api/badge', parameters: { resource: 'badge', operation: 'set', badge: 1 } },
	{
		path: '/api/metrics/cpu.load/value',
		parameters: { resource: 'metric', operation: 'setValue', key: 'cpu.load', value: '1' },
	},
	{
		path: '/api/live-activity/stream/s',
		parameters: { ...upsert, streamKey: 's', ...activity },
	},
	{
		path: '/api/push-notification',
		parameters: { resource: 'pushNotification', operation: 'send', title: 'T' },
	},
];

/** A repeat of these could create a second one, ring again, or restart the timer. */
const NEW_EACH_TIME: Operation[] = [
	{
		path: '/api/live-activity/start',
		parameters: { resource: 'liveActivityManual', operation: 'start', ...activity },
	},
	{
		path: '/api/live-activity/stream/rings',
		parameters: { ...upsert, streamKey: 'rings', ...activity, options: { alertTitle: 'Look' } },
	},
	{
		path: '/api/live-activity/stream/timer',
		parameters: {
			...upsert,
			streamKey: 'timer',
			activityType: 'timer',
			title: 'T',
			durationSeconds: 60,
		},
	},
];

let bench: Bench;
let proxy: TestProxy;

/** Each test has its own server and proxy, so the phone shows only its requests. */
beforeEach(async () => {
	bench = await startBench();
	proxy = await TestProxy.start(bench.server.url);
});

afterEach(async () => {
	proxy.stop();
	await bench.server.stop();
});

async function run({ path, parameters }: Operation) {
	const { status } = await runBeckon(parameters, {
		credentials: { beckonApi: { baseUrl: `${proxy.url}/api`, apiKey: bench.key } },
	});
	return { path, status, requests: proxy.count(path) };
}

const MISHAPS: Array<{ what: string; mishap: Mishap; arrives: boolean }> = [
	{ what: 'HTTP 502', mishap: { status: 502 }, arrives: false },
	{ what: 'HTTP 503', mishap: { status: 503 }, arrives: false },
	{ what: 'HTTP 504', mishap: { status: 504 }, arrives: false },
	{ what: 'a connection lost with the request', mishap: 'request lost', arrives: false },
	{ what: 'a connection lost with the answer', mishap: 'answer lost', arrives: true },
];

describe.each(MISHAPS)('$what, once for each operation', ({ mishap, arrives }) => {
	beforeEach(() => {
		proxy.disturb((nth) => (nth === 1 ? mishap : undefined));
	});

	test('badge, metric, stream and push are sent again, and the push arrives once', async () => {
		expect(await Promise.all(REPEATABLE.map(run))).toEqual(
			REPEATABLE.map(({ path }) => ({ path, status: 'success', requests: 2 })),
		);
		const { badge, activities, metrics } = await bench.phone.snapshot();
		expect(badge).toBe(1);
		expect(activities).toHaveLength(1);
		const pushes = (await bench.phone.inbox()).filter(({ kind }) => kind === 'push');
		expect(pushes).toHaveLength(1);
		expect(metrics.find(({ key }) => key === 'cpu.load')?.value).toBe(1);
	});

	test('start, alert and timer are not, and nothing arrives twice', async () => {
		expect(await Promise.all(NEW_EACH_TIME.map(run))).toEqual(
			NEW_EACH_TIME.map(({ path }) => ({ path, status: 'error', requests: 1 })),
		);
		expect((await bench.phone.inbox()).map(({ kind }) => kind).sort()).toEqual(
			arrives ? ['activity_start', 'activity_start', 'activity_start'] : [],
		);
	});
});

test('a server that stays unreachable is given up after a few attempts', async () => {
	proxy.disturb(() => ({ status: 503 }));

	expect(await run(REPEATABLE[0]!)).toMatchObject({ status: 'error', requests: 4 });
});
