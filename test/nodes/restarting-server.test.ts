import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runBeckon } from '../engine/one-node.ts';

/** Milliseconds for which nothing listens: more than a call that does not wait for a server is tried. */
const AWAY = 5_000;

test('a server that starts while items wait for it gets each of them once, in their order', async () => {
	const titles: string[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
		request.once('end', () => {
			titles.push((JSON.parse(text) as { title: string }).title);
			response.setHeader('content-type', 'application/json').end('{"success":true}');
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	await once(server.close(), 'close');
	setTimeout(() => server.listen(port, '127.0.0.1'), AWAY);

	const run = await runBeckon(
		{ operation: 'send', title: '={{ $json.title }}', options: { longestWait: 60 } },
		{
			items: [{ title: 'one' }, { title: 'two' }, { title: 'three' }],
			credentials: { beckonApi: { baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'bk_test' } },
		},
	);
	server.close();
	server.closeAllConnections();

	expect(run.error?.message).toBeUndefined();
	expect(titles).toEqual(['one', 'two', 'three']);
});
