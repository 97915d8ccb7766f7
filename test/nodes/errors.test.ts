import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { NodeApiError } from 'n8n-workflow';

import { ACCOUNT, startBench, type Bench } from './bench.ts';
import { runBeckon } from '../engine/one-node.ts';
import { failureOf, serviceSays } from './failure.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
	await bench.server.createChannel(ACCOUNT, 'empty');
});

afterAll(async () => {
	await bench.server.stop();
});

test('the error has the words of the service, the item and the HTTP status', async () => {
	const { message, description, status, error } = await failureOf(
		bench,
		{ ...send, title: 'Hello', sendTo: 'channels', channels: '={{ $json.channel }}' },
		{ items: [{ channel: 'ops' }, { channel: 'nobody' }] },
	);

	const said = await serviceSays(bench, '/push-notification', {
		title: 'Hello',
		target: { channels: ['nobody'] },
	});
	expect(message).toBe(
		said.message.replace('target.channels', 'Channel Names or IDs (target.channels)'),
	);
	expect(description).toBe(`(HTTP 400: ${said.error})`);
	expect(status).toBe('400');
	expect(error.context['itemIndex']).toBe(1);
});

test('a wrong key points to the credential', async () => {
	const failure = await failureOf(bench, { ...send, title: 'Hello' }, { key: 'bk_wrong' });

	expect(failure.status).toBe('401');
	expect(failure.error.failure).toEqual({ cause: 'credential-invalid' });
	expect(failure.message).toBe('The API key is missing, wrong or revoked.');
	expect(failure.description).toBe(
		'Check the API Key in the Beckon API credential. (HTTP 401: Unauthorized)',
	);
});

test('a channel outside the key points to the key', async () => {
	const key = await bench.server.createKey(ACCOUNT, ['empty']);

	const failure = await failureOf(
		bench,
		{ ...send, title: 'Hello', sendTo: 'channels', channels: 'ops' },
		{ key },
	);

	expect(failure.status).toBe('403');
	expect(failure.error.failure).toEqual({ cause: 'configuration-invalid' });
	expect(failure.description).toContain('use another key');
});

test.each([
	['that nothing listens at', 'http://127.0.0.1:9', '127.0.0.1:9: nothing is listening'],
	['with an unknown name', 'http://proxy.invalid:9', 'proxy.invalid: its host name is unknown'],
])('a proxy %s is what could not be reached, not the server', async (_what, proxy, reached) => {
	const { message, description } = await failureOf(bench, {
		...send,
		title: 'Hello',
		options: { longestWait: 0 },
		requestOptions: { proxy },
	});

	expect(message).toContain(`Could not reach the proxy at ${reached}`);
	expect(description).toContain('HTTP_PROXY');
	expect(message + description).not.toContain('Base URL');
});

test('a proxy of the environment is named, too', async () => {
	process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
	const run = await runBeckon(
		{ ...send, title: 'Hello', options: { longestWait: 0 } },
		{ credentials: { beckonApi: { baseUrl: 'http://beckon.example/api', apiKey: 'bk_test' } } },
	).finally(() => delete process.env['HTTP_PROXY']);

	expect(run.error?.message).toContain('Could not reach the proxy at 127.0.0.1:9');
});

test('nobody to send to points to phones and channels', async () => {
	const failure = await failureOf(bench, {
		...send,
		title: 'Hello',
		sendTo: 'channels',
		channels: 'empty',
	});

	expect(failure.status).toBe('422');
	expect(failure.description).toContain('Pair a phone');
});

test('a metric that does not exist points to the server', async () => {
	const failure = await failureOf(bench, {
		resource: 'metric',
		operation: 'setValue',
		key: 'none',
		value: '1',
	});

	expect(failure.status).toBe('404');
	expect(failure.description).toContain('Create the metric on the server first');
});

test('a stream that does not exist says how to go on', async () => {
	const failure = await failureOf(bench, {
		resource: 'liveActivity',
		operation: 'end',
		streamKey: 'none',
	});

	expect(failure.status).toBe('404');
	expect(failure.description).toContain('set On Error to Continue');
});

test('a full phone is reported at once, and not tried again', async () => {
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

	const failure = await failureOf(bench, start('6'), { key });

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
		'Could not reach the Beckon server at http://127.0.0.1:9/api: nothing is listening at this address',
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
