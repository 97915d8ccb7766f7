import type { NodeApiError } from 'n8n-workflow';

import type { WorkflowRun } from '../engine/run-workflow.ts';
import { startBench, type Bench } from './bench.ts';

const send = { resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' };

const sendWithin = (longestWait: number) => ({ ...send, options: { longestWait } });

const titles = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ title: `${index + 1}` }));

async function received({ phone }: Bench) {
	const deliveries = await phone.inbox();
	return deliveries.map((delivery) =>
		delivery.kind === 'push' ? delivery.push.title : delivery.kind,
	);
}

describe('with an allowance of two pushes a second', () => {
	let bench: Bench;

	beforeAll(async () => {
		bench = await startBench({ BECKON_RATE_NOTIFICATIONS: '2', BECKON_RATE_WINDOW_SECONDS: '1' });
	});

	afterAll(async () => {
		await bench.server.stop();
	});

	test('five pushes wait for their turn, and each arrives once', async () => {
		const run = await bench.run(send, { items: titles(5) });

		expect(run.status).toBe('success');
		expect(run.itemsOf('Beckon').map(({ pairedItem }) => pairedItem)).toEqual(
			titles(5).map((_, item) => ({ item })),
		);
		expect((await received(bench)).sort()).toEqual(['1', '2', '3', '4', '5']);
	});
});

describe('with an allowance of one push in eleven seconds', () => {
	let bench: Bench;

	beforeAll(async () => {
		bench = await startBench({
			BECKON_RATE_NOTIFICATIONS: '1',
			BECKON_RATE_WINDOW_SECONDS: '11',
		});
	});

	afterAll(async () => {
		await bench.server.stop();
	});

	const hintsOf = ({ run }: WorkflowRun) => run.data.resultData.runData['Beckon']?.[0]?.hints;

	test('a wait of more than ten seconds is explained on the execution, a shorter one is not', async () => {
		const first = await bench.run(send, { items: titles(1) });
		const second = await bench.run(send, { items: titles(1) });

		expect([first.status, second.status]).toEqual(['success', 'success']);
		expect(hintsOf(first)).toEqual([]);
		expect(hintsOf(second)).toEqual([
			{
				message: expect.stringMatching(
					/^Waited \d\d seconds because of the rate limit: the server accepts only so many requests per minute\. On a server of your own, BECKON_RATE_NOTIFICATIONS and/,
				) as string,
				location: 'outputPane',
			},
		]);
	});
});

describe('with an allowance of one push an hour', () => {
	let bench: Bench;

	beforeAll(async () => {
		bench = await startBench({
			BECKON_RATE_NOTIFICATIONS: '1',
			BECKON_RATE_WINDOW_SECONDS: '3600',
		});
		await bench.run(send, { items: titles(1) });
	});

	afterAll(async () => {
		await bench.server.stop();
	});

	test('a push that would wait too long fails, and says when the allowance returns', async () => {
		const before = Date.now();

		const run = await bench.run(sendWithin(300), { items: titles(1) });

		const error = run.error as NodeApiError;
		expect(error.httpCode).toBe('429');
		const [, seconds, time] = /in (\d+) seconds, at (\S+)\./.exec(error.description ?? '') ?? [];
		expect(Number(seconds)).toBeGreaterThan(3500);
		expect(Date.parse(time ?? '')).toBeGreaterThan(before + 3500 * 1000);
		expect(error.failure).toEqual({
			cause: 'rate-limited',
			retryAfterMs: expect.any(Number) as number,
			resetsAtEpochMs: Date.parse(time ?? ''),
		});
	});

	test('without a longest wait it waits, and a cancelled execution ends that at once', async () => {
		const stop = new AbortController();
		const running = bench.run(send, { items: titles(2), signal: stop.signal });

		// Every refused push is retried only after an hour, so both are waiting by now.
		await bench.run(sendWithin(300), { items: titles(1) });
		stop.abort();

		const { status, error } = await running;
		expect({ status, message: error?.message }).toEqual({
			status: 'canceled',
			message: 'The execution was canceled while the node waited',
		});
		expect(await received(bench)).toEqual(['1']);
	});
});
