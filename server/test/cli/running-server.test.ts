import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { followEvents } from '../support/events.ts';
import { runJson, type ServerProcess, startProcess } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';
import { waitFor, within } from '../support/wait.ts';

/** Commands that work on a running server's data. */
describe('the command line beside a running server', () => {
	const directory = temporaryDirectory();
	const data = ['--data', directory.path];
	const acme = ['--account', 'acme'];
	let server: ServerProcess;
	let key: string;

	beforeAll(async () => {
		server = await startProcess(directory.path, { settings: { BECKON_LOG_LEVEL: 'debug' } });
		await runJson(['account', 'create', '--name', 'acme', '--owner', 'owner@example.com', ...data]);
		({ key } = await runJson(['key', 'create', ...acme, '--name', 'test', ...data]));
	});
	afterAll(async () => {
		server?.signal('SIGKILL');
		await server?.finished;
		directory.remove();
	});

	async function call(
		method: string,
		path: string,
		body?: unknown,
		token = key,
	): Promise<{ status: number; body: any }> {
		const response = await fetch(`${server.url}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${token}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		return { status: response.status, body: await response.json() };
	}

	async function pair(): Promise<string> {
		const { code } = await runJson(['device', 'pair-code', ...acme, ...data]);
		const { status, body } = await call('POST', '/device/pair', {
			code,
			name: 'Phone',
			platform: 'web',
		});
		expect(status).toBe(200);
		return body.token;
	}

	it('says where the server listens, as one JSON value', () => {
		expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
	});

	it('makes a key that works at once, and revokes it at once', async () => {
		const created = await runJson(['key', 'create', ...acme, '--name', 'short-lived', ...data]);
		// Past authentication: without a phone it has no recipient.
		expect((await call('POST', '/api/badge', { badge: 1 }, created.key)).status).toBe(422);
		const [, listed] = await runJson(['key', 'list', ...acme, ...data]);
		expect(listed).toMatchObject({ id: created.id, last_used_at: expect.any(String) });
		await runJson(['key', 'revoke', ...acme, '--key', created.id, ...data]);
		expect((await call('POST', '/api/badge', { badge: 1 }, created.key)).status).toBe(401);
		expect((await call('POST', '/api/badge', { badge: 1 })).status).toBe(422);
	});

	it('makes a code with which a phone pairs', async () => {
		const token = await pair();
		expect((await call('GET', '/device/snapshot', undefined, token)).body).toMatchObject({
			device: { name: 'Phone', user: { name: 'owner' }, account: { name: 'acme' } },
		});
		expect(await runJson(['device', 'list', ...acme, ...data])).toMatchObject([
			{ name: 'Phone', status: 'active' },
		]);
	});

	it('makes a metric, which open phones then show', async () => {
		const events = await followEvents(server.url, await pair());
		expect((await call('POST', '/api/metrics/cpu/value', { value: 1 })).status).toBe(404);
		await runJson(['metric', 'create', ...acme, '--key', 'cpu', ...data]);
		await events.waitForEvent(
			'the new metric',
			({ event, data: metric }) => event === 'metric' && metric.value === null,
		);
		expect((await call('POST', '/api/metrics/cpu/value', { value: 42 })).status).toBe(200);
		await events.waitForEvent(
			'its value',
			({ event, data: metric }) => event === 'metric' && metric.value === 42,
		);
		await events.close();
	});

	it('tells in the history what was sent, and what became of it on the phones', async () => {
		const push = { title: 'Deployed', tags: ['ci', 'prod'], metadata: { run: 7 } };
		const { body } = await call('POST', '/api/push-notification', push);
		const find = async () =>
			(await runJson(['history', 'list', ...acme, '--tags', 'prod,ci', ...data])).find(
				(entry: any) => entry.phones.pending === 0,
			);
		expect(await waitFor('the outcome of the deliveries', find)).toMatchObject({
			...{
				kind: 'push',
				title: 'Deployed',
				tags: ['ci', 'prod'],
				metadata: { run: 7 },
				channels: null,
				ended_at: null,
			},
			phones: { stored: body.devices_notified, failed: 0, pending: 0 },
		});
		expect(await runJson(['history', 'list', ...acme, '--tags', 'ci,other', ...data])).toEqual([]);
	});

	it('blocks what the plan does not allow, as soon as it is set', async () => {
		await runJson(['account', 'set', ...acme, '--quota', '0', '--overage-cap', '0', ...data]);
		expect((await call('POST', '/api/push-notification', { title: 'A' })).body.error).toBe(
			'billing_overage_cap_reached',
		);
		await runJson(['account', 'set', ...acme, '--quota', 'none', ...data]);
		expect((await call('POST', '/api/push-notification', { title: 'A' })).status).toBe(200);
	});

	it('keeps secrets out of the database and the log', async () => {
		const token = await pair();
		await call('POST', '/api/badge', { badge: 1 });
		expect((await call('GET', '/device/snapshot', undefined, token)).status).toBe(200);
		expect(await placesThatHold(directory.path, [key, token])).toEqual([]);
		expect(server.log()).not.toContain(key);
		expect(server.log()).not.toContain(token);
	});

	it('ends cleanly on SIGTERM, with a goodbye to the phones that listen', async () => {
		const streams = [
			await followEvents(server.url, await pair()),
			await followEvents(server.url, await pair()),
		];
		await Promise.all(streams.map((stream) => stream.waitForEvent('what it shows', () => true)));
		server.signal('SIGTERM');
		const { code, signal } = await within('the end of the server', server.finished);
		expect({ code, signal }).toEqual({ code: 0, signal: null });
		expect(server.log()).not.toMatch(/"level":[456]0/);
		for (const stream of streams) {
			await within('the end of the stream', stream.ended);
			expect(stream.events.at(-1)).toMatchObject({ event: 'bye' });
		}
		const again = await startProcess(directory.path);
		again.signal('SIGINT');
		expect(await within('the end of the server', again.finished)).toMatchObject({ code: 0 });
	});
});
