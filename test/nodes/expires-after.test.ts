import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';

const received: Array<{ url?: string | undefined; ttl: unknown }> = [];

const service = createServer(({ url, headers }, response) => {
	received.push({ url, ttl: headers['ttl'] });
	response.setHeader('content-type', 'application/json').end('{"success":true}');
});

beforeAll(async () => {
	await once(service.listen(0, '127.0.0.1'), 'listening');
});

beforeEach(() => {
	received.length = 0;
});

afterAll(() => {
	service.close();
	service.closeAllConnections();
});

async function send(options: INodeParameters) {
	const { port } = service.address() as AddressInfo;
	const credential = { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'bk_test' };
	return await runBeckon(
		{ resource: 'pushNotification', operation: 'send', title: 'Gate open', options },
		{ credentials: { beckonApi: credential } },
	);
}

test('Expires After is sent as TTL, in seconds', async () => {
	await send({ expiresAfter: 5 });
	await send({ expiresAfter: 43_200, repeat: { values: { everyMinutes: 5, times: 1 } } });
	await send({});
	expect(received).toEqual([
		{ url: '/push-notification', ttl: '300' },
		{ url: '/push-notification/repeated', ttl: '2592000' },
		{ url: '/push-notification', ttl: undefined },
	]);
});

test.each([0, 43_201, 1.5])('%s minutes are refused before anything is sent', async (minutes) => {
	const { error } = await send({ expiresAfter: minutes });
	expect(error?.message).toContain('Expires After (Minutes)');
	expect(received).toEqual([]);
});
