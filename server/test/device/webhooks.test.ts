import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { TapBench } from '../support/tap-bench.ts';
import { waitFor } from '../support/wait.ts';

describe('a webhook that does not go well', () => {
	let bench: TapBench;
	afterEach(() => bench.close());

	it('should be told with the status that it answered', async () => {
		bench = await TapBench.start();
		const { url, received } = await bench.receive((_request, response) => {
			response.statusCode = 500;
			response.end('no');
		});
		expect(await bench.tapWebhook(url)).toEqual({
			outcome: 'failed',
			status: 500,
			message: 'The webhook answered with status 500.',
		});
		expect(received).toHaveLength(1);
	});

	it('should not be called done when it answered with a page for people', async () => {
		bench = await TapBench.start();
		const { url } = await bench.receive((_request, response) => {
			response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>No action</h1>');
		});
		expect(await bench.tapWebhook(url)).toEqual({
			outcome: 'called',
			status: 200,
			message: 'The webhook answered with a web page: it may be done or over already.',
		});
	});

	it('should be told when it refuses the connection', async () => {
		bench = await TapBench.start();
		const gone = await bench.receive();
		await gone.close();
		expect(await bench.tapWebhook(gone.url)).toEqual({
			outcome: 'failed',
			message: 'The webhook refused the connection.',
		});
	});

	it('should be told, and not called again, when it hangs up', async () => {
		bench = await TapBench.start();
		const { url, received } = await bench.receive((_request, response) => response.destroy());
		expect(await bench.tapWebhook(url)).toMatchObject({
			outcome: 'failed',
			message: expect.stringMatching(/^The webhook could not be called/),
		});
		expect(received).toHaveLength(1);
	});

	it('should be told after ten seconds when it says nothing', async () => {
		bench = await TapBench.start();
		let connections = 0;
		const silent = createServer(() => (connections += 1));
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
		const { port } = silent.address() as { port: number };
		const before = Date.now();
		expect(await bench.tapWebhook(`http://127.0.0.1:${port}`)).toEqual({
			outcome: 'failed',
			message: 'The webhook did not answer within 10 seconds.',
		});
		expect(Date.now() - before).toBeGreaterThan(9_000);
		expect(connections).toBe(1);
		silent.close();
	}, 20_000);

	it('should follow redirects on its own host only', async () => {
		bench = await TapBench.start();
		const { url, received } = await bench.receive(({ path }, response) => {
			const to = path === '/near' ? '/here' : `http://localhost:${new URL(url).port}/elsewhere`;
			if (path === '/here' || path === '/elsewhere') return response.end();
			return response.writeHead(302, { location: to }).end();
		});
		expect(await bench.tapWebhook(`${url}/near`)).toMatchObject({ outcome: 'called', status: 200 });
		expect(received.map(({ path }) => path)).toEqual(['/near', '/here']);
		expect(await bench.tapWebhook(`${url}/far`)).toEqual({
			outcome: 'failed',
			message: 'The webhook redirects to another host.',
		});
		expect(received.map(({ path }) => path)).toEqual(['/near', '/here', '/far']);
	});

	it('should not be called at a private address unless the server allows it', async () => {
		bench = await TapBench.start({});
		const { url, received } = await bench.receive();
		// Plain http is refused when it is sent; https to a private address when it is tapped.
		const plain = await bench.server.call('POST', '/push-notification', {
			title: 'A',
			actions: [{ title: 'Go', type: 'webhook', url }],
		});
		expect(plain).toMatchObject({
			status: 400,
			body: {
				error: 'Invalid action',
				message: expect.stringContaining('actions[0].url must be an https URL'),
			},
		});
		for (const host of [
			'127.0.0.1',
			'localhost',
			'[::1]',
			'10.0.0.1',
			'169.254.169.254',
			'2130706433',
			'0x7f.1',
			'[::ffff:127.0.0.1]',
		]) {
			const said = await bench.tapWebhook(`https://${host}:${new URL(url).port}/`);
			expect({ host, ...said }).toEqual({
				host,
				outcome: 'failed',
				message: 'The webhook is not at a public address, which this server does not call.',
			});
		}
		expect(received).toEqual([]);
	});

	it('should be told when too many of the account are open, and be free again afterwards', async () => {
		bench = await TapBench.start({
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			BECKON_WEBHOOK_OPEN_PER_ACCOUNT: '2',
		});
		const held: Array<() => void> = [];
		const { url } = await bench.receive((_request, response) => held.push(() => response.end()));
		const id = await bench.pushWith({ title: 'Go', type: 'webhook', url });
		const open = [
			bench.tap({ delivery_id: id, action: 0 }),
			bench.tap({ delivery_id: id, action: 0 }),
		];
		await waitFor('two open calls', () => held.length === 2);
		expect((await bench.tap({ delivery_id: id, action: 0 })).body).toMatchObject({
			outcome: 'failed',
			message: expect.stringMatching(/^Too many webhooks/),
		});
		for (const release of held.splice(0)) release();
		expect((await Promise.all(open)).map(({ body }) => body.outcome)).toEqual(['called', 'called']);
		const next = bench.tap({ delivery_id: id, action: 0 });
		await waitFor('one open call', () => held.length === 1);
		held[0]!();
		expect((await next).body.outcome).toBe('called');
	});
});
