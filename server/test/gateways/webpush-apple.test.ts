import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { MessageContent } from '../../src/delivery/message-content.ts';
import { AppleUpdates } from '../../src/delivery/webpush/apple.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';
import type { TestPhone } from '../support/server.ts';
import { type Bench, deliveriesOf, pairBrowser, startBench } from './support/phones.ts';

let bench: Bench;
let browser: TestPhone;

beforeEach(async () => {
	bench = await startBench();
	bench.pushService.host = 'web.push.apple.com';
	const { lookup } = dns;
	jest
		.spyOn(dns, 'lookup')
		.mockImplementation(((host: string, ...rest: [never, never]) =>
			lookup(host === 'web.push.apple.com' ? '127.0.0.1' : host, ...rest)) as never);
	await bench.server.phone.call('DELETE', '');
	browser = await pairBrowser(bench);
});
afterEach(async () => {
	jest.restoreAllMocks();
	expect(bench.pushService.mistakes).toEqual([]);
	await bench.close();
});

const put = (percentage: number, more: object = {}) =>
	bench.server.call('PUT', '/live-activity/stream/backup', {
		content_state: { type: 'progress', title: 'Backup', percentage },
		action: { title: 'Stop', type: 'webhook', url: 'https://example.com/stop' },
		...more,
	});

/** What Apple's push service has got, once no attempt is under way. */
const received = async () => {
	await deliveriesOf(bench, browser);
	return bench.pushService.received.map(({ message }) => {
		const { kind, activity, alert } = message.notification.data;
		return `${kind} ${activity.content_state.percentage}${alert ? ' alert' : ''}`;
	});
};

const pass = async (seconds: number) => {
	// The clock would make an attempt under way overdue.
	await deliveriesOf(bench, browser);
	bench.server.clock.advance(seconds);
	await bench.server.context.outbox.runOnce();
	return received();
};

describe('a browser on iOS, which shows every message as a new notification', () => {
	it('gets the newest of a loop of updates every ten minutes, besides the start and the end', async () => {
		for (let percentage = 0; percentage < 50; percentage += 1) {
			await put(percentage);
			await pass(1);
		}
		expect(await received()).toEqual(['activity_start 0']);
		expect(await pass(545)).toEqual(['activity_start 0']);
		expect(await pass(10)).toEqual(['activity_start 0', 'activity_update 49']);
		await put(60);
		// Until this attempt is recorded, the end would wait behind it.
		await received();
		await bench.server.call('DELETE', '/live-activity/stream/backup', {});
		expect(await received()).toEqual(['activity_start 0', 'activity_update 49', 'activity_end 60']);
		expect((await deliveriesOf(bench, browser)).filter(({ state }) => state === 'pending')).toEqual(
			[],
		);
	});

	it('gets an alert at once, and the next quiet update ten minutes after it', async () => {
		await put(1);
		await pass(300);
		await put(2, { alert: { title: 'Almost full' } });
		expect(await received()).toEqual(['activity_start 1', 'activity_update 2 alert']);
		await put(3);
		await received();
		expect(await pass(590)).toHaveLength(2);
		expect(await pass(11)).toEqual([
			'activity_start 1',
			'activity_update 2 alert',
			'activity_update 3',
		]);
	});

	it('waits as long for a server that has just started, and gets an answer at once', async () => {
		await put(1);
		await received();
		await pass(60);
		const { clock, context } = bench.server;
		const updates = new AppleUpdates(context.database, () => clock.now);
		const [{ activity_id }] = (await browser.snapshot()).activities as [{ activity_id: string }];
		const wait = (answer?: { at: unknown }) => {
			const delivery: unknown = {
				device: { id: browser.id },
				message: { history_id: activity_id },
			};
			const content: unknown = { kind: 'activity_update', activity: { answer } };
			return updates.wait(delivery as OutgoingDelivery, content as MessageContent);
		};
		expect(await wait()).toBe(540_000);
		expect(await wait({ at: String(bench.server.timestamp(-30)) })).toBe(0);
		expect(await wait({ at: String(bench.server.timestamp(-90)) })).toBe(540_000);
	});

	it('gets nothing of what must not interrupt', async () => {
		await bench.server.call('POST', '/badge', { badge: 2 });
		await browser.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'UTC' });
		await put(1);
		await put(2, { alert: { title: 'Almost full' } });
		expect(await received()).toEqual([]);
		expect(await deliveriesOf(bench, browser)).toHaveLength(3);
	});
});
