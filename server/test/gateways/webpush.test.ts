import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Bench, deliveriesOf, pairBrowser, startBench } from './support/phones.ts';
import type { PushFault } from './support/push-service.ts';

let bench: Bench;
let browser: TestPhone;

beforeEach(async () => {
	bench = await startBench();
	await bench.server.phone.call('DELETE', '');
	browser = await pairBrowser(bench);
});
afterEach(async () => {
	expect(bench.pushService.mistakes).toEqual([]);
	await bench.close();
});

const push = (body: object = {}) =>
	bench.server.call('POST', '/push-notification', { title: 'Order', ...body });

describe('a browser that is closed', () => {
	it('gets the delivery of its inbox, encrypted for it alone', async () => {
		expect((await push({ message: 'Two loaves', badge: 3 })).body['devices_notified']).toBe(1);
		const [received] = bench.pushService.receivedBy(browser.id);
		const [inInbox] = await browser.inbox();
		expect(received?.message).toEqual({
			web_push: 8030,
			mutable: true,
			app_badge: 3,
			notification: {
				title: 'Order',
				body: 'Two loaves',
				tag: received?.headers['topic'],
				renotify: true,
				navigate: '/phone',
				silent: false,
				data: inInbox,
			},
		});
		expect(received?.headers).toMatchObject({ ttl: '259200', urgency: 'high' });
	});

	it.each([
		['passive', 'normal'],
		['active', 'high'],
		['time-sensitive', 'high'],
		['critical', 'high'],
	])('is woken for a %s push with urgency %s', async (level, urgency) => {
		await push({ interruption_level: level });
		expect(bench.pushService.received[0]?.headers['urgency']).toBe(urgency);
	});

	it('is woken for whatever asks, and not for its answer', async () => {
		const { body } = await bench.server.call('POST', '/questions', {
			title: 'Deploy?',
			interruption_level: 'passive',
			choices: [{ id: 'yes', title: 'Yes' }],
		});
		await deliveriesOf(bench, browser);
		await browser.call('POST', `/questions/${body['question_id']}/answer`, {
			tap_id: randomUUID(),
			choice: 'yes',
		});
		await waitFor('the answer to be sent', () => bench.pushService.received.length === 2);
		const sent = bench.pushService.received.map(({ headers, message }) => [
			message.notification.data.kind,
			headers['urgency'],
		]);
		expect(sent).toEqual([
			['push', 'high'],
			['push_update', 'normal'],
		]);
	});

	it('gets the badge with the next notification, for none may come without one', async () => {
		const { body } = await bench.server.call('POST', '/badge', { badge: 5 });
		expect(body['devices_updated']).toBe(1);
		expect(bench.pushService.received).toEqual([]);
		await push();
		await bench.server.call('PUT', '/live-activity/stream/s', {
			content_state: { type: 'progress', title: 'Backup', percentage: 1 },
		});
		expect(bench.pushService.received.map(({ message }) => message['app_badge'])).toEqual([5, 5]);
	});

	it.each([
		[{ sound: 'none' }, { silent: true }],
		[{ interruption_level: 'passive' }, { silent: true }],
		[{ subtitle: 'S' }, { body: 'S' }],
		[{ subtitle: 'S', message: 'M' }, { body: 'S\nM' }],
		[{ redirection: 'https://example.com/7' }, { navigate: 'https://example.com/7' }],
		[{ media: 'https://example.com/a.png' }, { navigate: 'https://example.com/a.png' }],
		[{ redirection: 'shortcuts://run' }, { navigate: '/phone' }],
	])('is told to show a push with %j as %j', async (fields, shown) => {
		await push(fields);
		expect(bench.pushService.received[0]?.message.notification).toMatchObject(shown);
	});

	it('is told to show an activity in one quiet notification, and aloud with an alert', async () => {
		const put = (fields: object) =>
			bench.server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'value', title: 'Euro', subtitle: 'since midnight', value: 1 },
				...fields,
			});
		await put({});
		await deliveriesOf(bench, browser);
		await put({ alert: { body: 'Above 1.08' } });
		const [quiet, loud] = bench.pushService.received.map(({ message }) => message.notification);
		expect(quiet).toMatchObject({
			title: 'Euro',
			body: 'since midnight',
			silent: true,
			renotify: false,
		});
		expect(loud).toMatchObject({
			title: 'Euro',
			body: 'Above 1.08',
			silent: false,
			renotify: true,
		});
		expect(quiet.tag).toBe(loud.tag);
		const urgencies = bench.pushService.received.map(({ headers }) => headers['urgency']);
		expect(urgencies).toEqual(['normal', 'high']);
	});

	it('gets the states of an activity under one topic, so that only the newest is kept', async () => {
		const put = (percentage: number) =>
			bench.server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'progress', title: 'Backup', percentage },
			});
		await put(1);
		// A lane sends its next message once the outcome of the last is stored.
		await deliveriesOf(bench, browser);
		await put(2);
		await deliveriesOf(bench, browser);
		await bench.server.call('DELETE', '/live-activity/stream/s', {});
		const received = bench.pushService.receivedBy(browser.id);
		expect(received.map(({ message }) => message.notification.data.kind)).toEqual([
			'activity_start',
			'activity_update',
			'activity_end',
		]);
		expect(new Set(received.map(({ headers }) => headers['topic'])).size).toBe(1);
	});

	it('gets a large push shortened to what every push service takes', async () => {
		await push({ message: '🥐'.repeat(4_000) });
		const [received] = bench.pushService.receivedBy(browser.id);
		expect(received?.message.notification.data).toMatchObject({
			truncated: true,
			push: { message: expect.stringMatching(/^(🥐)+…$/u) },
		});
		expect(received?.bytes).toBeGreaterThan(4_085);
		expect((await browser.inbox())[0].push.message).toHaveLength(8_000);
	});

	it('gets what other browsers get, with its own id and badge', async () => {
		const other = await pairBrowser(bench);
		await bench.server.context.database.write(null, (db) =>
			db.updateTable('devices').set({ badge: 2_000_000_000 }).where('id', '=', other.id).execute(),
		);
		await push({ message: 'x'.repeat(16_000) });
		for (const [phone, badge] of [[browser, 0] as const, [other, 2_000_000_000] as const]) {
			const [received] = bench.pushService.receivedBy(phone.id);
			const { app_badge, notification } = received!.message;
			expect(app_badge).toBe(badge);
			expect(notification.data).toMatchObject({
				id: (await phone.inbox())[0].id,
				truncated: true,
				push: { message: expect.stringMatching(/^x+…$/), shortened: true },
			});
			expect(received?.bytes).toBeGreaterThan(4_085);
			expect(received?.bytes).toBeLessThanOrEqual(4_096);
		}
	});

	it('is not called while its page is open, nor without a subscription', async () => {
		const other = await bench.server.pairPhone();
		const stop = bench.server.context.openPages.subscribe({
			deviceId: browser.id,
			accountId: bench.server.account.id,
			notify: () => undefined,
		});
		expect((await push()).body['devices_notified']).toBe(2);
		expect(bench.pushService.received).toEqual([]);
		stop();
		await push();
		expect(bench.pushService.received).toHaveLength(1);
		expect(await other.inbox()).toHaveLength(2);
		await browser.call('PUT', '/tokens', { push_subscription: null });
		await push();
		expect(bench.pushService.received).toHaveLength(1);
	});
});

describe('what a push service answers', () => {
	it('413 is met with a shorter message', async () => {
		bench.pushService.fault = (_id, bytes) => (bytes > 1_500 ? { status: 413 } : undefined);
		await push({ message: 'm'.repeat(3_900) });
		expect(bench.pushService.received[0]?.message.notification.data.push.message).toMatch(/^m+…$/);
	});

	it.each([
		[429, '120', 120_000],
		[503, 'Sun, 01 Mar 2026 12:10:00 GMT', 600_000],
	])('%d is waited out as Retry-After: %s says', async (status, retryAfter, wait) => {
		bench.pushService.failOnce({ status, retryAfter });
		expect((await push()).body['devices_notified']).toBe(1);
		const [delivery] = await deliveriesOf(bench, browser);
		expect(delivery?.next_attempt_at).toBe(bench.server.clock.now + wait);
		bench.server.clock.advance(wait / 1_000);
		await bench.server.context.outbox.runOnce();
		expect(bench.pushService.receivedBy(browser.id)).toHaveLength(1);
	});

	it.each<PushFault>([{ status: 500 }, 'cut connection'])('%j is tried again', async (fault) => {
		bench.pushService.failOnce(fault);
		await push();
		await deliveriesOf(bench, browser);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		expect(bench.pushService.receivedBy(browser.id)).toHaveLength(1);
	});

	it.each([301, 307])('%d is not followed', async (status) => {
		const other = bench.pushService.subscribe('other');
		bench.pushService.fault = (id) =>
			id === browser.id ? { status, location: other.endpoint } : undefined;
		await push();
		expect(await deliveriesOf(bench, browser)).toMatchObject([
			{ state: 'failed', last_error: `The push service answered ${status}` },
		]);
		expect(bench.pushService.receivedBy('other')).toEqual([]);
	});

	it('403 fails the delivery with the reason', async () => {
		bench.pushService.fault = () => ({ status: 403 });
		await push();
		expect(await deliveriesOf(bench, browser)).toMatchObject([
			{ state: 'failed', last_error: 'The push service answered 403' },
		]);
	});
});

describe('a subscription', () => {
	it('is made with the key of the server, which stays the same', async () => {
		const { body } = await browser.call('GET', '/web-push-key');
		expect(Buffer.from(body['public_key'], 'base64url')).toHaveLength(65);
		expect((await browser.call('GET', '/web-push-key')).body).toEqual(body);
		await push();
		expect(bench.pushService.received[0]?.headers.authorization).toContain(
			`k=${body['public_key']}`,
		);
	});

	it.each([
		[
			'keys that are no point of the curve',
			{ keys: { p256dh: 'BAAA', auth: 'AAAAAAAAAAAAAAAAAAAAAA' } },
		],
		['an endpoint that is no URL', { endpoint: 'nowhere' }],
		['an endpoint of another scheme', { endpoint: 'ftp://push.example.com/1' }],
	])('is refused with %s', async (_name, wrong) => {
		const push_subscription = { ...bench.pushService.subscribe('x'), ...wrong };
		const { status, body } = await browser.call('PUT', '/tokens', { push_subscription });
		expect(status).toBe(400);
		expect(body['message']).toContain('push_subscription');
	});

	it('does not make the server call a private address', async () => {
		const strict = await startBench({
			BECKON_WEB_PUSH_ALLOW_PRIVATE: 'false',
			// Permission for webhooks is no permission for push services.
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
		});
		try {
			const { keys } = bench.pushService.subscribe('x');
			const subscribe = (endpoint: string) =>
				strict.server.phone.call('PUT', '/tokens', { push_subscription: { endpoint, keys } });
			expect((await subscribe('http://push.example.com/1')).status).toBe(400);
			expect((await subscribe('https://127.0.0.1/push/x')).status).toBe(200);
			await strict.server.call('POST', '/push-notification', { title: 'Hi' });
			const [delivery] = await deliveriesOf(strict, strict.server.phone);
			expect(delivery).toMatchObject({
				state: 'failed',
				last_error: 'The push service is not at a public address, and this server calls no others',
			});
		} finally {
			await strict.close();
		}
	});
});
