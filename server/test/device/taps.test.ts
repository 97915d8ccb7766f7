import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestPhone } from '../support/server.ts';
import { TapBench } from '../support/tap-bench.ts';

describe('a tap on a button', () => {
	let bench: TapBench;
	beforeEach(async () => {
		bench = await TapBench.start();
	});
	afterEach(() => bench.close());

	it('opens what the button names, and leaves the opening to the phone', async () => {
		const id = await bench.pushWith(
			{ title: 'Web', type: 'open_url', url: 'https://example.com/a' },
			{ title: 'Run', type: 'open_url', url: 'shortcuts://run' },
		);
		expect((await bench.tap({ delivery_id: id, action: 1 })).body).toEqual({
			outcome: 'open',
			url: 'shortcuts://run',
			message: expect.any(String),
		});
		expect((await bench.tap({ delivery_id: id, action: 0 })).body).toMatchObject({
			outcome: 'open',
			url: 'https://example.com/a',
		});
	});

	it('calls the webhook with the method and body of the button', async () => {
		const { url, received } = await bench.receive();
		expect(
			await bench.tapWebhook(`${url}/hook?a=1`, { body: { approve: true, text: 'ü' } }),
		).toMatchObject({
			outcome: 'called',
			status: 200,
			message: 'Done.',
		});
		expect(received).toMatchObject([
			{ method: 'POST', path: '/hook?a=1', headers: { 'content-type': 'application/json' } },
		]);
		expect(JSON.parse(received[0]!.body)).toEqual({ approve: true, text: 'ü' });
		expect(await bench.tapWebhook(url)).toMatchObject({ outcome: 'called' });
		expect(JSON.parse(received[1]!.body)).toEqual({});
		expect(await bench.tapWebhook(`${url}/get`, { method: 'GET' })).toMatchObject({
			outcome: 'called',
		});
		expect(received[2]).toMatchObject({ method: 'GET', path: '/get', body: '' });
	});

	it('tells the webhook nothing of the key or the token', async () => {
		const { url, received } = await bench.receive();
		await bench.tapWebhook(url);
		expect(received[0]!.headers.authorization).toBeUndefined();
		const text = JSON.stringify(received);
		for (const secret of [bench.server.account.key, bench.server.phone.token])
			expect(text).not.toContain(secret);
	});

	it('never tells the phone the URL of a webhook, which may hold a secret', async () => {
		await bench.pushWith({
			title: 'Go',
			type: 'webhook',
			url: 'https://example.com/?secret=1',
			body: { pin: 'concealed' },
		});
		const told = JSON.stringify([
			await bench.server.phone.inbox(),
			await bench.server.phone.snapshot(),
		]);
		expect(told).toContain('"title":"Go"');
		expect(told).not.toMatch(/secret|concealed/);
	});

	it('calls the webhooks of an activity’s buttons, as they are at that moment', async () => {
		const { url, received } = await bench.receive();
		const button = (path: string) => ({ title: path, type: 'webhook', url: `${url}/${path}` });
		const put = (body: object) =>
			bench.server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'value', title: 'A', value: 1 },
				...body,
			});
		const { body } = await put({ action: button('one'), secondary_action: button('two') });
		const press = (action: string) => bench.tap({ activity_id: body['activity_id'], action });
		expect((await press('action')).body.outcome).toBe('called');
		expect((await press('secondary_action')).body.outcome).toBe('called');
		await put({ action: button('changed') });
		await press('action');
		expect(received.map(({ path }) => path)).toEqual(['/one', '/two', '/changed']);
	});

	it('is answered with 404 where the phone shows no such button', async () => {
		const id = await bench.pushWith({ title: 'Go', type: 'open_url', url: 'https://example.com' });
		await bench.server.call('POST', '/push-notification', { title: 'Bare' });
		const bare = (await bench.server.phone.inbox()).at(-1).id;
		const other = await bench.server.pairPhone();
		await bench.server.addChannel('mine', { devices: [bench.server.phone.id] });
		const started = await bench.server.call('POST', '/live-activity/start', {
			content_state: { type: 'value', title: 'A', value: 1 },
			action: { title: 'Go', type: 'open_url', url: 'https://example.com' },
			target: { channels: ['mine'] },
		});
		const activity = started.body['activity_id'];
		const cases: Array<[object, TestPhone]> = [
			[{ delivery_id: id, action: 1 }, bench.server.phone],
			[{ delivery_id: bare, action: 0 }, bench.server.phone],
			[{ delivery_id: 9_999, action: 0 }, bench.server.phone],
			[{ delivery_id: id, action: 0 }, other],
			[{ activity_id: activity, action: 'secondary_action' }, bench.server.phone],
			[{ activity_id: 'unknown', action: 'action' }, bench.server.phone],
			[{ activity_id: activity, action: 'action' }, other],
		];
		for (const [report, phone] of cases) {
			const { status, body } = await bench.tap(report, phone);
			expect({ report, status, error: body.error }).toEqual({
				report,
				status: 404,
				error: 'Button not found',
			});
		}
	});

	it('is refused when it is malformed', async () => {
		for (const wrong of [
			{ tap_id: 'x' },
			{ action: 4 },
			{ action: 'action' },
			{ action: -1 },
			{ more: 1 },
		]) {
			const { status, body } = await bench.tap({ delivery_id: 1, action: 0, ...wrong });
			expect({ wrong, status }).toEqual({ wrong, status: 400 });
			expect(body.message).toMatch(
				/^(The body must have a tap_id|(tap_id|action) must|more is not)/,
			);
		}
	});
});
