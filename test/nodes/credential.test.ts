import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { NodeApiError } from 'n8n-workflow';

import { BECKON, runBeckon } from '../engine/one-node.ts';
import { testCredential } from '../engine/test-credential.ts';
import { ACCOUNT, startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const check = async (baseUrl: string, apiKey = bench.key) =>
	await testCredential(BECKON, 'beckonApi', { baseUrl, apiKey });

const NOBODY = 'http://127.0.0.1:9/api';

async function withServer<T>(listener: RequestListener, work: (url: string) => Promise<T>) {
	const server: Server = createServer(listener);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	try {
		return await work(`http://127.0.0.1:${port}/api`);
	} finally {
		server.close();
	}
}

test('the right key at the right address passes, and touches no phone', async () => {
	expect(await check(bench.server.baseUrl)).toEqual({
		status: 'OK',
		message: 'Connection successful!',
	});
	expect(await bench.phone.inbox()).toEqual([]);
});

test('the test leaves no refusal at the key, and takes a key as the header has it', async () => {
	expect(await check(bench.server.baseUrl, ` Bearer ${bench.key}\n`)).toMatchObject({
		status: 'OK',
	});
	const keys = await bench.server.cli('key', 'list', '--account', ACCOUNT);
	expect(JSON.stringify(keys)).toContain('"last_refusal":null');
});

test('a slash at the end of the address does not hurt', async () => {
	expect(await check(` ${bench.server.baseUrl}/ `)).toMatchObject({ status: 'OK' });
});

test('a wrong key is reported as a wrong key', async () => {
	expect(await check(bench.server.baseUrl, 'bk_wrong')).toEqual({
		status: 'Error',
		message: expect.stringContaining('Check the API Key in the Beckon API credential'),
	});
});

test('an address without /api is reported as a wrong address', async () => {
	expect(await check(bench.server.url)).toEqual({
		status: 'Error',
		message: expect.stringContaining('Check the Base URL'),
	});
});

test('an address without http:// is reported as no address', async () => {
	expect(await check('localhost:8787/api')).toEqual({
		status: 'Error',
		message:
			'Could not reach the Beckon server at localhost:8787/api: this is not a URL. Check the Base URL in the Beckon API credential. It begins with https:// or http://',
	});
	expect((await check('beckon')).message).toContain('this is not a URL');
});

test('an address where nothing listens is reported as the node reports it', async () => {
	const credentials = { beckonApi: { baseUrl: NOBODY, apiKey: bench.key } };
	const run = await runBeckon({ operation: 'send', title: 'Hello' }, { credentials });
	const { message, description } = run.error as NodeApiError;

	expect(message).toContain('nothing is listening at this address');
	expect(await check(NOBODY)).toEqual({ status: 'Error', message: `${message}. ${description}` });
});

test('https where http is spoken is reported', async () => {
	expect(await check(bench.server.baseUrl.replace('http:', 'https:'))).toEqual({
		status: 'Error',
		message: expect.stringMatching(/it does not speak HTTPS there.* http:\/\/ instead of https/),
	});
});

test('a connection that is closed before the answer sends nobody to a phone', async () => {
	const { message } = await withServer(
		(request) => request.socket.destroy(),
		async (url) => await check(url),
	);

	expect(message).toContain('the connection was closed before the answer');
	expect(message).toContain('try again later');
	expect(message).not.toContain('phone');
});

const json =
	(status: number, body: object): RequestListener =>
	(_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
	};

const html =
	(status: number): RequestListener =>
	(_request, response) => {
		response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
	};

test.each<[string, RequestListener]>([
	['a page that answers everything', html(200)],
	['a page that was not found', html(404)],
	['a page that may not be deleted', html(405)],
	['another service that succeeds', json(200, { ok: true })],
	[
		'another service that knows no such path',
		json(404, { statusCode: 404, error: 'Not Found', message: 'no' }),
	],
	['another service that wants another key', json(403, { error: 'Forbidden', message: 'no' })],
])('%s is reported as a wrong address', async (_what, listener) => {
	expect(await withServer(listener, async (url) => await check(url))).toEqual({
		status: 'Error',
		message: expect.stringContaining('Check the Base URL'),
	});
});

test('a redirect is reported with the address to use instead', async () => {
	const redirect: RequestListener = (_request, response) => {
		response.writeHead(301, { location: 'https://example.com/api' }).end();
	};

	expect(await withServer(redirect, async (url) => await check(url))).toEqual({
		status: 'Error',
		message: expect.stringContaining('Put that address into the Base URL'),
	});
});
