import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runBeckon } from '../engine/one-node.ts';

let server: Server;
let requests: number;

/** Takes the first request and hangs up without an answer; the others succeed. */
beforeAll(async () => {
	server = createServer((request, response) => {
		requests += 1;
		request.resume().on('end', () => {
			if (requests === 1) request.socket.destroy();
			else
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ success: true, operation: 'started' }));
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
});

beforeEach(() => {
	requests = 0;
});

afterAll(() => {
	server.close();
});

async function run(parameters: object) {
	const { port } = server.address() as AddressInfo;
	const { status } = await runBeckon(parameters as never, {
		credentials: { beckonApi: { baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'bk_1' } },
	});
	return { status, requests };
}

const activity = { activityType: 'progress', title: 'T', percentage: 1 };

test.each<[string, object]>([
	['a badge', { resource: 'badge', operation: 'set', badge: 1 }],
	['a metric', { resource: 'metric', operation: 'setValue', key: 'cpu.load', value: '1' }],
	['a stream', { resource: 'liveActivity', operation: 'upsert', streamKey: 's', ...activity }],
])('%s is sent again when the connection was lost', async (_what, parameters) => {
	expect(await run(parameters)).toEqual({ status: 'success', requests: 2 });
});

test.each<[string, object]>([
	['a push', { resource: 'pushNotification', operation: 'send', title: 'T' }],
	['a start', { resource: 'liveActivityManual', operation: 'start', ...activity }],
])('%s that may have arrived is not', async (_what, parameters) => {
	expect(await run(parameters)).toEqual({ status: 'error', requests: 1 });
});
