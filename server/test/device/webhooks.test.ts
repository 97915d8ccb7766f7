import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { selfSigned } from '../gateways/support/certificate.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { TapBench } from '../support/tap-bench.ts';
import { waitFor } from '../support/wait.ts';

describe('a webhook that does not go well', () => {
	let bench: TapBench;
	afterEach(() => bench.close());

	it.each([
		[302, /has moved \(status 302\)/],
		[401, /credentials \(status 401\)/],
		[403, /credentials \(status 403\)/],
		[404, /no webhook at the button’s address \(status 404\)/],
		[410, /already been answered, or is over \(status 410\)/],
		[422, /did not accept the tap \(status 422\)/],
		[429, /too many calls \(status 429\)/],
		[500, /failed \(status 500\)/],
	])(
		'is explained in words that help when it answers %i and says nothing',
		async (status, words) => {
			bench = await TapBench.start();
			const { url, received } = await bench.receive((_request, response) => {
				response.writeHead(status).end('no');
			});
			expect(await bench.tapWebhook(url)).toEqual({
				outcome: 'failed',
				status,
				message: expect.stringMatching(words),
			});
			expect(received).toHaveLength(1);
		},
	);

	it.each([200, 410, 500])(
		'is explained in its own words when it answers %i with a message',
		async (status) => {
			bench = await TapBench.start();
			const { url } = await bench.receive((_request, response) => {
				response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
				response.end(
					JSON.stringify({ message: ' This question\nwas answered\u0000 already. ', final: 'no' }),
				);
			});
			expect(await bench.tapWebhook(url)).toMatchObject({
				outcome: status === 200 ? 'called' : 'failed',
				status,
				message: 'This question was answered already.',
			});
		},
	);

	it.each<[string, string, string]>([
		['long', 'application/json', JSON.stringify({ message: '😀'.repeat(500) })],
		['huge', 'application/json', JSON.stringify({ message: 'a'.repeat(1_000_000) })],
		['no text', 'application/json', '{"message": {"html": "<b>"}}'],
		['empty', 'application/json', '{"message": "  "}'],
		['no object', 'application/json', '["message"]'],
		['no JSON', 'application/json', '{"message'],
		['of another type', 'text/plain', '{"message": "Private"}'],
	])(
		'says at most 200 characters of its own, and none when its message is %s',
		async (kind, type, body) => {
			bench = await TapBench.start();
			const { url } = await bench.receive((_request, response) => {
				response.writeHead(200, { 'content-type': type }).end(body);
			});
			const { outcome, message } = await bench.tapWebhook(url);
			expect(outcome).toBe('called');
			expect(message).toBe(kind === 'long' ? `${'😀'.repeat(199)}…` : 'Done.');
		},
	);

	it('is not reported as done when it answers with a web page', async () => {
		bench = await TapBench.start();
		const { url } = await bench.receive((_request, response) => {
			response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>No action</h1>');
		});
		expect(await bench.tapWebhook(url)).toEqual({
			outcome: 'unclear',
			status: 200,
			message: expect.stringMatching(/answered with a web page.*Check before you tap again/),
		});
	});

	it('is reported when it refuses the connection', async () => {
		bench = await TapBench.start();
		const gone = await bench.receive();
		await gone.close();
		expect(await bench.tapWebhook(gone.url)).toEqual({
			outcome: 'failed',
			message: expect.stringMatching(/^Could not connect to the webhook/),
		});
	});

	it('is reported, and not called again, when it hangs up', async () => {
		bench = await TapBench.start();
		const { url, received } = await bench.receive((_request, response) => response.destroy());
		expect(await bench.tapWebhook(url)).toMatchObject({
			outcome: 'failed',
			message: expect.stringMatching(/cut off.*check before you tap again/),
		});
		expect(received).toHaveLength(1);
	});

	it('is reported after ten seconds when it says nothing', async () => {
		bench = await TapBench.start();
		let connections = 0;
		const silent = createServer(() => (connections += 1));
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
		const { port } = silent.address() as { port: number };
		const before = Date.now();
		expect(await bench.tapWebhook(`http://127.0.0.1:${port}`)).toEqual({
			outcome: 'failed',
			message: expect.stringMatching(/^The webhook did not answer within 10 seconds\./),
		});
		expect(Date.now() - before).toBeGreaterThan(9_000);
		expect(connections).toBe(1);
		silent.close();
	});

	it('is redirected within its own host only', async () => {
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
			message: expect.stringMatching(/^The webhook redirects to another host/),
		});
		expect(received.map(({ path }) => path)).toEqual(['/near', '/here', '/far']);
	});

	it('is called once, and not again, when it redirects to a port that refuses', async () => {
		bench = await TapBench.start();
		const gone = await bench.receive();
		await gone.close();
		const { url, received } = await bench.receive((_request, response) =>
			response.writeHead(307, { location: gone.url }).end(),
		);
		expect(await bench.tapWebhook(url)).toEqual({
			outcome: 'failed',
			message:
				'The webhook redirects to an address that cannot be reached. It may have worked anyway: check before you tap again.',
		});
		expect(received).toHaveLength(1);
	});

	it('is not followed from https to http, where its body could be read', async () => {
		leaveOutOfPacked('a certificate that it makes the server trust');
		bench = await TapBench.start();
		const plain = await bench.receive();
		const { key, cert } = selfSigned();
		setDefaultCACertificates([...getCACertificates(), cert]);
		const encrypted = createTlsServer({ key: key.export({ format: 'pem', type: 'pkcs8' }), cert });
		encrypted.on('request', (_request, response) =>
			response.writeHead(307, { location: plain.url }).end(),
		);
		await new Promise<void>((resolve) => encrypted.listen(0, '127.0.0.1', resolve));
		const { port } = encrypted.address() as { port: number };
		expect(await bench.tapWebhook(`https://127.0.0.1:${port}/`)).toEqual({
			outcome: 'failed',
			message:
				'The webhook redirects from https to http, where anyone on the network could read it. The button needs the final address.',
		});
		expect(plain.received).toEqual([]);
		encrypted.close();
	});

	it('is not called at a private address unless the server allows it', async () => {
		bench = await TapBench.start({});
		const { url, received } = await bench.receive();
		// Plain http is refused when sent; https to a private address when tapped.
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
				message: expect.stringMatching(/^The webhook is not at a public address/),
			});
		}
		expect(received).toEqual([]);
	});

	it('fails with a reason when too many of the account are open, and works again afterwards', async () => {
		bench = await TapBench.start({
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			BECKON_WEBHOOK_OPEN_PER_ACCOUNT: '2',
		});
		const held: Array<() => void> = [];
		const { url } = await bench.receive((_request, response) => held.push(() => response.end()));
		// One each: taps on a single push would wait for each other.
		const ids: number[] = [];
		for (let n = 0; n < 4; n += 1)
			ids.push(await bench.pushWith({ title: 'Go', type: 'webhook', url }));
		const tapAnother = () => bench.tap({ delivery_id: ids.pop(), action: 0 });
		const open = [tapAnother(), tapAnother()];
		await waitFor('two open calls', () => held.length === 2);
		expect((await tapAnother()).body).toMatchObject({
			outcome: 'failed',
			message: expect.stringMatching(/^Too many webhook calls/),
		});
		for (const release of held.splice(0)) release();
		expect((await Promise.all(open)).map(({ body }) => body.outcome)).toEqual(['called', 'called']);
		const next = tapAnother();
		await waitFor('one open call', () => held.length === 1);
		held[0]!();
		expect((await next).body.outcome).toBe('called');
	});
});
