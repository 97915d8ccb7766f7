import type { INodeParameters } from 'n8n-workflow';

import { selfSigned } from '../../server/test/gateways/support/certificate.ts';
import { TestProxy } from '../engine/test-proxy.ts';
import { asks } from './asking.ts';
import { execution, key, phone, server, waiting } from './one-question.ts';

/** An answer ends the Live Activity of its question before the workflow resumes. */

let proxy: TestProxy;

beforeAll(async () => {
	proxy = await TestProxy.start(server.url);
});

afterAll(() => {
	proxy.stop();
});

beforeEach(() => {
	proxy.disturb(() => undefined);
});

const ask = async (parameters: INodeParameters, url = proxy.url) =>
	await waiting(
		asks({
			resource: 'liveActivity',
			title: 'Deploy?',
			message: 'Now',
			...parameters,
		}),
		{ baseUrl: `${url}/api`, apiKey: key },
	);

const url = () => execution.resumeUrl('Ask', { round: '1' });

const answer = async (choice: string) =>
	await fetch(url(), {
		method: 'POST',
		body: JSON.stringify({ choice }),
		headers: { 'content-type': 'application/json' },
	});

const streamOf = (streamKey: string) => `/api/live-activity/stream/${streamKey}`;

/** Lets the question through, and holds the request that ends its Live Activity. */
function holdTheEnd(): { release: () => void } {
	let release: () => void = () => undefined;
	const heldUntil = new Promise<void>((resolve) => {
		release = resolve;
	});
	proxy.disturb((nth) => (nth === 2 ? { heldUntil } : undefined));
	return { release };
}

async function arrived(path: string, count: number): Promise<void> {
	while (proxy.count(path) < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a second tap while the first one ends the Live Activity is told that it was answered', async () => {
	const { release } = holdTheEnd();
	await ask({ streamKey: 'twice' });
	const goneOn = execution.goneOn();
	const first = answer('Approve');
	await arrived(streamOf('twice'), 2);

	const second = await answer('Decline');
	const opened = await fetch(url(), { headers: { accept: 'text/html' } });
	release();

	expect(second.status).toBe(410);
	expect(await second.json()).toEqual({ message: 'This question has already been answered.' });
	expect(opened.status).toBe(410);
	expect(await opened.text()).toContain('This question has already been answered.');
	expect((await first).status).toBe(200);
	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: true, choice: 'Approve' } } },
	]);
	expect(proxy.count(streamOf('twice'))).toBe(2);
});

test('a Live Activity that cannot be ended keeps no answer from the workflow', async () => {
	proxy.disturb((nth) => (nth === 2 ? { status: 502 } : undefined));
	await ask({ streamKey: 'unendable' });
	const goneOn = execution.goneOn();

	expect((await answer('Decline')).status).toBe(200);
	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { choice: 'Decline' } } },
	]);
});

test('the Live Activity is ended through the proxy by which it was started', async () => {
	await ask({ streamKey: 'by-proxy', requestOptions: { proxy: proxy.url } }, server.url);
	const goneOn = execution.goneOn();

	await answer('Approve');
	await goneOn;

	// A proxy receives the whole URL.
	expect(proxy.count(`${server.url}${streamOf('by-proxy')}`)).toBe(2);
	expect((await phone.inbox()).at(-1)).toMatchObject({
		kind: 'activity_end',
		activity: { content_state: { message: 'Approve' } },
	});
});

test('a certificate that may be ignored does not keep the Live Activity from being ended', async () => {
	const secured = await TestProxy.start(server.url, selfSigned());
	const requestOptions = { allowUnauthorizedCerts: true };
	await ask({ streamKey: 'self-signed', requestOptions }, secured.url);
	const goneOn = execution.goneOn();

	await answer('Approve');
	await goneOn;
	secured.stop();

	expect(secured.count(streamOf('self-signed'))).toBe(2);
});

test('a long timeout does not let the tap wait for the Live Activity', async () => {
	const { release } = holdTheEnd();
	await ask({ streamKey: 'slow', requestOptions: { timeout: 60_000 } });
	const goneOn = execution.goneOn();
	const before = Date.now();

	expect((await answer('Approve')).status).toBe(200);
	release();

	expect(Date.now() - before).toBeLessThan(20_000);
	expect((await goneOn).status).toBe('success');
});
