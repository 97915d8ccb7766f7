import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { widgetReloads } from '../../src/service/phones/widget-reloads.ts';
import { settleDue } from '../support/later.ts';
import { openGateways } from '../../src/assembly.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { BUNDLE_ID } from './support/apns.ts';
import { bench, iphone, push, withOneIphone } from './support/one-iphone.ts';
import { deliveriesOf, pairIphone, startBench } from './support/phones.ts';

withOneIphone();

describe('a push to an iPhone', () => {
	it('is an alert with sound, badge, level, and all that its app needs', async () => {
		const { body } = await push({
			subtitle: 'Shop',
			message: 'Two loaves',
			badge: 4,
			interruption_level: 'time-sensitive',
			icon: 'https://example.com/i.png',
			redirection: 'https://example.com/o/1',
			actions: [{ title: 'Open', type: 'open_url', url: 'https://example.com/o/1' }],
			payload: { order: 1 },
			tags: ['shop'],
		});
		expect(body['devices_notified']).toBe(1);
		const [taken] = bench.apns.takenFor(iphone.pushToken);
		expect(taken?.headers).toMatchObject({
			'apns-topic': BUNDLE_ID,
			'apns-push-type': 'alert',
			'apns-priority': '10',
			'apns-collapse-id': expect.stringMatching(/^his_\w+$/),
			'apns-expiration': String(bench.server.clock.now / 1_000 + 3 * 86_400),
		});
		expect(taken?.payload).toEqual({
			aps: {
				alert: { title: 'Order', subtitle: 'Shop', body: 'Two loaves' },
				badge: 4,
				sound: 'default',
				'interruption-level': 'time-sensitive',
				category: 'beckon-actions',
			},
			beckon: {
				delivery_id: expect.any(Number),
				icon: 'https://example.com/i.png',
				redirection: 'https://example.com/o/1',
				actions: [{ title: 'Open', type: 'open_url', url: 'https://example.com/o/1' }],
				payload: { order: 1 },
				tags: ['shop'],
			},
		});
	});

	it('is grouped by the first of its channels', async () => {
		for (const slug of ['ops', 'shop']) await bench.server.addChannel(slug, { users: ['owner'] });
		await push({ target: { channels: ['shop', 'ops'] } });
		await push();
		const threads = bench.apns.takenFor(iphone.pushToken).map(({ payload }) => payload.aps);
		expect(threads.map((aps) => aps['thread-id'])).toEqual(['shop', undefined]);
	});

	it('has no sound for none, and a critical one for a critical push', async () => {
		await push({ sound: 'none' });
		await push({ sound: 'bell.caf', interruption_level: 'critical' });
		const [silent, critical] = bench.apns.takenFor(iphone.pushToken);
		expect(silent?.payload.aps).not.toHaveProperty('sound');
		expect(critical?.payload.aps.sound).toEqual({ critical: 1, name: 'bell.caf', volume: 1 });
	});

	it('loses its message, but does not fail, when it is too large, and says so', async () => {
		const url = `https://example.com/${'x'.repeat(1_900)}`;
		await push({ message: '🥐'.repeat(4_000) });
		await push({ message: 'm'.repeat(4_000), media: url, icon: url, redirection: url });
		const [long, full] = bench.apns.takenFor(iphone.pushToken);
		expect(long?.payload.aps.alert.body).toMatch(/^(🥐)+…$/u);
		expect(long?.payload.beckon.truncated).toBe(true);
		expect(Buffer.byteLength(JSON.stringify(long?.payload))).toBeGreaterThan(4_070);
		expect(full?.payload.aps.alert).toEqual({ title: 'Order' });
		expect(full?.payload.beckon).toMatchObject({ media: url, truncated: true });
		expect(bench.apns.refusals).toEqual([]);
	});

	it('goes to the sandbox for an app started from Xcode', async () => {
		const other = await startBench({ BECKON_APNS_URL: 'https://127.0.0.1:1' });
		try {
			const phone = await pairIphone(other.server, { push_environment: 'sandbox' });
			await other.server.call('POST', '/push-notification', { title: 'Hi' });
			expect(other.apns.takenFor(phone.pushToken)).toHaveLength(1);
		} finally {
			await other.close();
		}
	});

	it('waits in the inbox of a device without a token', async () => {
		const phone = await bench.server.pairPhone({ platform: 'ios' });
		expect((await push()).body['devices_notified']).toBe(2);
		expect(await phone.inbox()).toHaveLength(1);
	});
});

describe('a badge', () => {
	it('is a push of its own, without an alert', async () => {
		await bench.server.call('POST', '/badge', { badge: 7 });
		const [taken] = bench.apns.takenFor(iphone.pushToken);
		expect(taken?.headers).toMatchObject({
			'apns-push-type': 'alert',
			'apns-collapse-id': 'badge',
		});
		expect(taken?.payload).toEqual({
			aps: { badge: 7 },
			beckon: { delivery_id: expect.any(Number) },
		});
	});

	it('is not set back by an older push that is sent again', async () => {
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		await push({ badge: 1 });
		await deliveriesOf(bench, iphone);
		await bench.server.call('POST', '/badge', { badge: 2 });
		await deliveriesOf(bench, iphone);
		bench.server.clock.advance(60);
		expect(await bench.server.context.outbox.runOnce()).toBe(1);
		const badges = bench.apns.takenFor(iphone.pushToken).map(({ payload }) => payload.aps.badge);
		expect(badges).toEqual([2, 2]);
	});

	it('does not set back a newer push when it is sent again', async () => {
		const phones = [iphone, await pairIphone(bench.server)];
		const attempted = () => Promise.all(phones.map((phone) => deliveriesOf(bench, phone)));
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		expect((await bench.server.call('POST', '/badge', { badge: 1 })).status).toBe(200);
		await attempted();
		await push({ badge: 2 });
		await attempted();
		bench.server.clock.advance(60);
		expect(await bench.server.context.outbox.runOnce()).toBe(1);
		const badges = bench.apns.taken.map(({ payload }) => payload.aps.badge);
		expect(badges).toEqual([1, 2, 2, 2]);
	});
});

describe('a phone that is paired a second time, as its first answer was lost', () => {
	it('is shown a push once', async () => {
		const again = await bench.server.pairPhone({ platform: 'ios' });
		await again.call('PUT', '/tokens', { push_token: iphone.pushToken });
		expect((await push()).status).toBe(200);
		expect(bench.apns.takenFor(iphone.pushToken)).toHaveLength(1);
		expect(await again.inbox()).toHaveLength(1);
	});
});

describe('a phone that is disconnected', () => {
	it('gets nothing of what waited for it', async () => {
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		await push();
		await deliveriesOf(bench, iphone);
		const { context } = bench.server;
		expect((await iphone.call('DELETE', '')).status).toBe(200);
		bench.server.clock.advance(60);
		expect(await context.outbox.runOnce()).toBe(0);
		expect(bench.apns.takenFor(iphone.pushToken)).toEqual([]);
		const failed = await context.database.read
			.selectFrom('deliveries')
			.select(['state', 'last_error'])
			.where('device_id', '=', iphone.id)
			.execute();
		expect(failed).toEqual([{ state: 'failed', last_error: 'The phone was disconnected' }]);
	});
});

describe('a Live Activity', () => {
	/** A lane sends its next message once the outcome of the last is stored. */
	const put = async (content_state: object, extra: object = {}) => {
		const change = { content_state, ...extra };
		const answer = await bench.server.call('PUT', '/live-activity/stream/deploy', change);
		await deliveriesOf(bench, iphone);
		return answer;
	};
	const progress = (percentage: number) => ({ type: 'progress', title: 'Backup', percentage });

	it('is started by a push that asks for a token, updated and ended with the token', async () => {
		const { body } = await put(progress(1));
		const [start] = bench.apns.takenFor(iphone.startToken);
		const now = bench.server.clock.now / 1_000;
		expect(start?.headers).toMatchObject({
			'apns-topic': `${BUNDLE_ID}.push-type.liveactivity`,
			'apns-push-type': 'liveactivity',
			'apns-priority': '10',
			'apns-collapse-id': body['activity_id'],
		});
		expect(start?.payload.aps).toEqual({
			timestamp: now,
			event: 'start',
			'content-state': { ...progress(1) },
			// iOS starts none without an alert; nobody asked for a sound.
			alert: { title: 'Backup', body: '' },
			'relevance-score': 50,
			'attributes-type': 'BeckonActivityAttributes',
			attributes: {
				activity_id: body['activity_id'],
				stream_key: 'deploy',
				started_at: '2026-03-01T12:00:00.000Z',
			},
			'input-push-token': 1,
			'stale-date': now + 8 * 3_600,
		});

		expect((await put(progress(2))).body).toMatchObject({ devices_queued: 1, devices_notified: 0 });
		await put(progress(3));
		const token = await iphone.registerActivity(body['activity_id']);
		await deliveriesOf(bench, iphone);
		await put(progress(4), { alert: { title: 'Almost', body: 'there' } });
		bench.server.clock.advance(10);
		await bench.server.call('DELETE', '/live-activity/stream/deploy', {
			content_state: { auto_dismiss_minutes: 5 },
		});
		const told = bench.apns.takenFor(token);
		expect(told.map(({ payload }) => payload.aps['content-state'].percentage)).toEqual([3, 4, 4]);
		expect(told.map(({ headers }) => headers['apns-priority'])).toEqual(['5', '10', '10']);
		expect(told[1]?.payload.aps).toMatchObject({
			alert: { title: 'Almost', body: 'there' },
			'relevance-score': 100,
		});
		expect(told[2]?.payload.aps).toMatchObject({
			event: 'end',
			'dismissal-date': bench.server.clock.now / 1_000 + 300,
		});
		expect(bench.apns.refusals).toEqual([]);
	});

	it('has the same collapse id in a start that is sent again', async () => {
		bench.apns.failOnce('reset after taking');
		await put(progress(1));
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		const starts = bench.apns.takenFor(iphone.startToken);
		expect(starts).toHaveLength(2);
		expect(new Set(starts.map(({ headers }) => headers['apns-collapse-id'])).size).toBe(1);
	});

	it('keeps its end for the next token when the one it has is no longer valid', async () => {
		const { body } = await put(progress(1));
		const old = await iphone.registerActivity(body['activity_id']);
		bench.apns.gone.add(old);
		await bench.server.call('DELETE', '/live-activity/stream/deploy', {});
		await deliveriesOf(bench, iphone);
		const token = await iphone.registerActivity(body['activity_id']);
		expect(bench.apns.takenFor(token).map(({ payload }) => payload.aps.event)).toEqual(['end']);
		expect((await iphone.call('GET', '/snapshot')).status).toBe(200);
	});

	it('loses its message first, then stats, when its state is too large', async () => {
		await put({ type: 'alert', title: 'Log', message: 'm'.repeat(4_000) });
		const entry = { label: '🥐'.repeat(60), value: '🥖'.repeat(64) };
		await bench.server.call('PUT', '/live-activity/stream/stats', {
			content_state: { type: 'stats', title: 'S', metrics: Array.from({ length: 8 }, () => entry) },
			action: { title: 'Open', type: 'open_url', url: `https://example.com/${'x'.repeat(1_900)}` },
		});
		const [log, stats] = bench.apns.takenFor(iphone.startToken);
		expect(log?.payload.aps['content-state'].message).toMatch(/^m+…$/);
		expect(stats?.payload.aps['content-state'].metrics.length).toBeGreaterThan(0);
		expect(stats?.payload.aps['content-state'].metrics.length).toBeLessThan(8);
		expect(bench.apns.refusals).toEqual([]);
	});

	it('starts no second activity of a stream on the phone before the first has ended', async () => {
		const { body } = await put(progress(1));
		const token = await iphone.registerActivity(body['activity_id']);
		bench.apns.failOnce({ status: 500, reason: 'InternalServerError' });
		await put({ type: 'value', title: 'V', value: '1' });
		await deliveriesOf(bench, iphone);
		expect(bench.apns.taken).toHaveLength(1);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		await bench.server.context.outbox.runOnce();
		expect(bench.apns.taken.map(({ payload }) => payload.aps.event)).toEqual([
			'start',
			'end',
			'start',
		]);
		expect(bench.apns.taken[1]?.token).toBe(token);
	});
});

describe('widgets', () => {
	it('are reloaded after a change, always after the last one, with a minimum time between', async () => {
		const { server, apns } = bench;
		const { database, now } = server.context;
		const gateways = openGateways(readConfig(bench.settings), database, now);
		const widgets = widgetReloads(gateways.apns!);
		await createMetric(server.context, server.account.id, {
			key: 'm',
			name: 'M',
			format: 'number',
		});
		const set = (value: number) => server.call('POST', '/metrics/m/value', { value });
		const reloads = async () => {
			await settleDue(server.context, widgets);
			return apns.takenFor(iphone.widgetToken).length;
		};
		expect(await reloads()).toBe(0);
		await set(1);
		expect(await reloads()).toBe(1);
		await set(2);
		await set(3);
		expect(await reloads()).toBe(1);
		server.clock.advance(300);
		expect(await reloads()).toBe(2);
		server.clock.advance(300);
		expect(await reloads()).toBe(2);
		expect(apns.takenFor(iphone.widgetToken)[0]).toMatchObject({
			headers: {
				'apns-push-type': 'widgets',
				'apns-topic': `${BUNDLE_ID}.push-type.widgets`,
			},
			payload: { aps: { 'content-changed': true } },
		});
		gateways.apns?.close();
	});
});
