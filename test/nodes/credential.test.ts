import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { testCredential } from '../engine/test-credential.ts';
import { startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const check = async (baseUrl: string, apiKey = bench.key) =>
	await testCredential('beckonApi', { baseUrl, apiKey });

test('the right key at the right address passes, and touches no phone', async () => {
	expect(await check(bench.server.baseUrl)).toEqual({
		status: 'OK',
		message: 'Connection successful!',
	});
	expect(await bench.phone.inbox()).toEqual([]);
});

test('a slash at the end of the address does not hurt', async () => {
	expect(await check(` ${bench.server.baseUrl}/ `)).toMatchObject({ status: 'OK' });
});

test('a wrong key is told as a wrong key', async () => {
	expect(await check(bench.server.baseUrl, 'bk_wrong')).toEqual({
		status: 'Error',
		message: expect.stringContaining('API key is wrong'),
	});
});

test('an address without /api is told as a wrong address', async () => {
	expect(await check(bench.server.url)).toEqual({
		status: 'Error',
		message: expect.stringContaining('Check the Base URL'),
	});
});

test('an address where nothing listens fails', async () => {
	expect(await check('http://127.0.0.1:9/api')).toEqual({
		status: 'Error',
		message: 'ECONNREFUSED',
	});
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
	[
		'a redirect',
		(_request, response) => {
			response.writeHead(301, { location: 'https://example.com/' }).end();
		},
	],
])('%s is told as a wrong address', async (_what, listener) => {
	const server: Server = createServer(listener);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	try {
		expect(await check(`http://127.0.0.1:${port}/api`)).toEqual({
			status: 'Error',
			message: expect.stringContaining('Check the Base URL'),
		});
	} finally {
		server.close();
	}
});
