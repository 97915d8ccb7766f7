import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeParameters, NodeApiError } from 'n8n-workflow';

import { ACCOUNT, startBench, type Bench } from './bench.ts';
import { runBeckon } from '../engine/one-node.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
	await bench.server.createChannel(ACCOUNT, 'empty');
});

afterAll(async () => {
	await bench.server.stop();
});

/** What the user sees of a failed run. */
async function failureOf(
	parameters: INodeParameters,
	options: { key?: string; items?: object[] } = {},
) {
	const run = await bench.run(parameters, options as never);
	expect(run.status).toBe('error');
	expect(JSON.stringify(run.run)).not.toContain(options.key ?? bench.key);
	const error = run.error as NodeApiError;
	const shown = `${error.message} ${error.description ?? ''}`;
	expect(shown).not.toMatch(/undefined|\[object/);
	return {
		message: error.message,
		description: error.description ?? '',
		status: error.httpCode,
		error,
	};
}

/** What the service says to the same request without a node between. */
async function serviceSays(path: string, body: object, { key = bench.key, method = 'POST' } = {}) {
	const response = await fetch(`${bench.server.baseUrl}${path}`, {
		method,
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return (await response.json()) as { error: string; message: string };
}

test('the error has the words of the service, the item and the HTTP status', async () => {
	const { message, description, status, error } = await failureOf(
		{ ...send, title: 'Hello', options: { channels: '={{ $json.channel }}' } },
		{ items: [{ channel: 'ops' }, { channel: 'nobody' }] },
	);

	const said = await serviceSays('/push-notification', {
		title: 'Hello',
		target: { channels: ['nobody'] },
	});
	expect(message).toBe(said.message);
	expect(description).toContain(said.error);
	expect(status).toBe('400');
	expect(error.context['itemIndex']).toBe(1);
});

test('a wrong key points to the credential', async () => {
	const failure = await failureOf({ ...send, title: 'Hello' }, { key: 'bk_wrong' });

	expect(failure.status).toBe('401');
	expect(failure.description).toContain('Check the API key in the Beckon API credential');
});

test('a channel outside the key points to the key', async () => {
	const key = await bench.server.createKey(ACCOUNT, ['empty']);

	const failure = await failureOf(
		{ ...send, title: 'Hello', options: { channels: 'ops' } },
		{ key },
	);

	expect(failure.status).toBe('403');
	expect(failure.description).toContain('use another key');
});

test('nobody to send to points to phones and channels', async () => {
	const failure = await failureOf({ ...send, title: 'Hello', options: { channels: 'empty' } });

	expect(failure.status).toBe('422');
	expect(failure.description).toContain('Pair a phone');
});

test('a metric that does not exist points to the server', async () => {
	const failure = await failureOf({
		resource: 'metric',
		operation: 'setValue',
		key: 'none',
		value: '1',
	});

	expect(failure.status).toBe('404');
	expect(failure.description).toContain('Create the metric on the server first');
});

test('a stream that does not exist says how to go on', async () => {
	const failure = await failureOf({
		resource: 'liveActivity',
		operation: 'end',
		streamKey: 'none',
	});

	expect(failure.status).toBe('404');
	expect(failure.description).toContain('set On Error to Continue');
});

test('a full phone is told at once, and not tried again', async () => {
	await bench.server.createAccount('full');
	const key = await bench.server.createKey('full');
	const phone = await bench.server.pairPhone('full');
	const start = (title: string) => ({
		resource: 'liveActivityManual',
		operation: 'start',
		activityType: 'progress',
		title,
		percentage: 0,
	});
	const items = ['1', '2', '3', '4', '5'].map((title) => ({ title }));
	await bench.run(start('={{ $json.title }}'), { key, items });

	const failure = await failureOf(start('6'), { key });

	expect(failure.status).toBe('429');
	expect(failure.description).toContain('A phone shows 5 Live Activities at most');
	expect((await phone.snapshot()).activities).toHaveLength(5);
});

test('a path that the server does not know points to the Base URL', async () => {
	const run = await runBeckon(
		{ ...send, title: 'Hello' },
		{ credentials: { beckonApi: { baseUrl: bench.server.url, apiKey: bench.key } } },
	);

	expect((run.error as NodeApiError).description).toContain('Check the Base URL');
});

test('an address where nothing listens points to the Base URL', async () => {
	const run = await runBeckon(
		{ ...send, title: 'Hello' },
		{ credentials: { beckonApi: { baseUrl: 'http://127.0.0.1:9/api', apiKey: bench.key } } },
	);

	expect(run.error?.message).toBe(
		'Could not reach the Beckon server at http://127.0.0.1:9/api: nothing listens at this address',
	);
	expect((run.error as NodeApiError).description).toContain('correct the Base URL');
	expect(JSON.stringify(run.run)).not.toContain(bench.key);
});

test('a cancelled execution ends a request that is under way', async () => {
	const stop = new AbortController();
	const silent = createServer(() => {
		stop.abort();
	});
	await once(silent.listen(0, '127.0.0.1'), 'listening');
	const { port } = silent.address() as AddressInfo;

	const run = await runBeckon(
		{ ...send, title: 'Hello' },
		{
			credentials: { beckonApi: { baseUrl: `http://127.0.0.1:${port}/api`, apiKey: bench.key } },
			signal: stop.signal,
		},
	);

	expect(run.status).toBe('canceled');
	silent.close();
});

describe('when the node continues on errors', () => {
	const parameters = { ...send, title: '={{ $json.title }}' };
	const items = [{ title: 'one' }, { title: '' }, { title: 'three' }];

	test('the other items are sent, and the error is an item paired with its input', async () => {
		const run = await bench.run(parameters, { items, node: { onError: 'continueRegularOutput' } });

		const output = run.itemsOf('Beckon');
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(output[1]?.json).toEqual({ error: 'title is required.' });
		expect(output[2]?.json).toMatchObject({ success: true });
	});

	test('the error may have an output of its own', async () => {
		const run = await bench.run(parameters, { items, node: { onError: 'continueErrorOutput' } });

		expect(run.itemsOf('Beckon', 0).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
		]);
		expect(run.itemsOf('Beckon', 1)[0]).toMatchObject({
			json: { error: 'title is required.' },
			pairedItem: { item: 1 },
		});
	});

	test('Retry On Fail does not send again what has arrived', async () => {
		const before = (await bench.phone.inbox()).length;

		await bench.run(parameters, {
			items: [{ title: '' }, { title: 'only once' }],
			node: {
				onError: 'continueRegularOutput',
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 1,
			},
		});

		expect((await bench.phone.inbox()).length).toBe(before + 1);
	});
});

describe('what is found before sending is told in the words of the service', () => {
	const stream = (contentState: object) => ({
		path: '/live-activity/stream/k',
		method: 'PUT',
		body: { content_state: contentState },
	});
	const starting = (contentState: object) => ({
		path: '/live-activity/start',
		method: 'POST',
		body: { content_state: contentState },
	});
	const push = (body: object) => ({ path: '/push-notification', method: 'POST', body });
	const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey: 'k' };
	const start = { resource: 'liveActivityManual', operation: 'start', title: 'T' };
	const tooMany = Array.from({ length: 21 }, (_, index) => `t${index}`);

	test.each<[string, INodeParameters, { path: string; method: string; body: object }]>([
		[
			'a tag',
			{ ...send, title: 'T', options: { tags: 'Deploy' } },
			push({ title: 'T', tags: ['Deploy'] }),
		],
		[
			'a tag twice',
			{ ...send, title: 'T', options: { tags: 'a,a' } },
			push({ title: 'T', tags: ['a', 'a'] }),
		],
		[
			'too many tags',
			{ ...send, title: 'T', options: { tags: tooMany.join() } },
			push({ title: 'T', tags: tooMany }),
		],
		[
			'a channel',
			{ ...send, title: 'T', options: { channels: 'On Call' } },
			push({ title: 'T', target: { channels: ['On Call'] } }),
		],
		[
			'media with buttons',
			{
				...send,
				title: 'T',
				actions: { button: [{ title: 'B', type: 'open_url', url: 'https://a.example' }] },
				options: { media: 'https://a.example/a.png' },
			},
			push({
				title: 'T',
				media: 'https://a.example/a.png',
				actions: [{ title: 'B', type: 'open_url', url: 'https://a.example' }],
			}),
		],
		[
			'five buttons',
			{
				...send,
				title: 'T',
				actions: {
					button: Array(5).fill({ title: 'B', type: 'open_url', url: 'https://a.example' }),
				},
			},
			push({
				title: 'T',
				actions: Array(5).fill({ title: 'B', type: 'open_url', url: 'https://a.example' }),
			}),
		],
		['the badge', { ...send, title: 'T', options: { badge: -1 } }, push({ title: 'T', badge: -1 })],
		[
			'a badge that is no number',
			{ ...send, title: 'T', options: { badge: 1.5 } },
			push({ title: 'T', badge: 1.5 }),
		],
		[
			'the interruption level',
			{ ...send, title: 'T', options: { interruptionLevel: '={{ "loud" }}' } },
			push({ title: 'T', interruption_level: 'loud' }),
		],
		[
			'a color',
			{ ...upsert, activityType: 'keep', content: { color: '={{ "pink" }}' } },
			stream({ color: 'pink' }),
		],
		[
			'the percentage',
			{ ...upsert, activityType: 'progress', percentage: 101 },
			stream({ type: 'progress', percentage: 101 }),
		],
		['the activity type', { ...upsert, activityType: '={{ "party" }}' }, stream({ type: 'party' })],
		[
			'more steps than there are',
			{ ...start, activityType: 'segmented_progress', currentStep: 5, numberOfSteps: 4 },
			starting({ type: 'segmented_progress', title: 'T', current_step: 5, number_of_steps: 4 }),
		],
		[
			'the colors of steps',
			{
				...start,
				activityType: 'segmented_progress',
				currentStep: 2,
				numberOfSteps: 4,
				content: { stepPalette: 'lime' },
			},
			starting({
				type: 'segmented_progress',
				title: 'T',
				current_step: 2,
				number_of_steps: 4,
				step_colors: ['lime'],
			}),
		],
		[
			'a progress without a value',
			{ ...start, activityType: 'progress' },
			starting({ type: 'progress', title: 'T' }),
		],
		[
			'a timer without a duration',
			{ ...start, activityType: 'timer' },
			starting({ type: 'timer', title: 'T' }),
		],
		[
			'metrics without a metric',
			{ ...start, activityType: 'metrics' },
			starting({ type: 'metrics', title: 'T' }),
		],
		[
			'the stream key',
			{ ...upsert, streamKey: 'my key', activityType: 'keep' },
			{ path: '/live-activity/stream/my%20key', method: 'PUT', body: { content_state: {} } },
		],
		[
			'the metric key',
			{ resource: 'metric', operation: 'setValue', key: 'Load', value: '1' },
			{ path: '/metrics/Load/value', method: 'POST', body: { value: 1 } },
		],
	])('%s', async (_what, parameters, { path, method, body }) => {
		const before = await bench.phone.inbox();

		const { message, description } = await failureOf(parameters);

		expect(message).toBe((await serviceSays(path, body, { method })).message);
		expect(description).toContain('nothing was sent');
		expect(await bench.phone.inbox()).toEqual(before);
	});
});
