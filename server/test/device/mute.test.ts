import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deviceChannels } from '../../src/contract/device.ts';
import { type Bench, pairBrowser, pairIphone, startBench } from '../gateways/support/phones.ts';
import type { TestPhone, TestServer } from '../support/server.ts';

/** docs/api-decisions.md "Mute": a muted channel is kept, but does not interrupt. */
describe('a channel that a phone has muted', () => {
	let bench: Bench;
	let server: TestServer;
	let phone: TestPhone;

	beforeEach(async () => {
		bench = await startBench();
		({ server } = bench);
		await server.phone.call('DELETE', '');
		phone = await pairBrowser(bench);
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('sales', { devices: [phone.id] });
		await server.addChannel('others');
	});
	afterEach(() => bench.close());

	const mute = (slug: string, muted = true) => phone.call('PUT', `/channels/${slug}`, { muted });
	const push = (title: string, channels?: string[]) =>
		server.call('POST', '/push-notification', { title, ...(channels && { target: { channels } }) });
	const called = () =>
		bench.pushService.receivedBy(phone.id).map(({ message }) => message.notification.title);

	it('is one of those that reach it, by its user or by itself', async () => {
		await mute('ops');
		const { status, body } = await phone.call('GET', '/channels');
		expect(status).toBe(200);
		expect(deviceChannels.parse(body)).toEqual({
			channels: [
				{ slug: 'ops', name: 'ops', muted: true },
				{ slug: 'sales', name: 'sales', muted: false },
			],
		});
	});

	it('cannot be another', async () => {
		for (const slug of ['others', 'nowhere']) {
			expect(await mute(slug)).toMatchObject({
				status: 404,
				body: { message: `Channel ${slug} does not reach this phone, or no longer does.` },
			});
		}
	});

	it('brings its pushes into inbox and history, and nowhere else', async () => {
		await mute('ops');
		const { body } = await push('quiet', ['ops']);
		expect(body).toMatchObject({ devices_notified: 1, effective_channel_slugs: ['ops'] });
		expect(called()).toEqual([]);
		expect((await phone.inbox())[0]).toMatchObject({ muted: true, push: { title: 'quiet' } });
		expect((await phone.snapshot())['notifications']).toEqual([]);
		const { body: history } = await phone.call('GET', '/history');
		expect(history['deliveries']).toMatchObject([{ muted: true, push: { title: 'quiet' } }]);
	});

	it('does not mute a push that also comes by a channel that is not muted', async () => {
		await mute('ops');
		await push('both', ['ops', 'sales']);
		await push('everybody');
		expect(called()).toEqual(['both', 'everybody']);
		await mute('sales');
		await push('none', ['ops', 'sales']);
		expect(called()).toEqual(['both', 'everybody']);
		expect((await phone.snapshot())['notifications']).toHaveLength(2);
	});

	it('is muted on this phone alone', async () => {
		const other = await pairBrowser(bench);
		await mute('ops');
		await push('for both', ['ops']);
		expect(bench.pushService.receivedBy(other.id)).toHaveLength(1);
		expect((await other.inbox())[0].muted).toBeUndefined();
	});

	it('is heard again when it is no longer muted', async () => {
		await mute('ops');
		await mute('ops');
		await mute('ops', false);
		await push('loud', ['ops']);
		expect(called()).toEqual(['loud']);
	});

	it('still shows its Live Activities, without their alerts', async () => {
		await mute('ops');
		await server.call('PUT', '/live-activity/stream/deploy', {
			content_state: { type: 'value', title: 'Deploy', value: 1 },
			alert: { title: 'Look' },
			target: { channels: ['ops'] },
		});
		expect((await phone.snapshot())['activities']).toHaveLength(1);
		const [delivery] = await phone.inbox();
		expect(delivery).toMatchObject({ kind: 'activity_start', muted: true });
		expect(delivery.alert).toBeUndefined();
		expect(bench.pushService.received[0]?.message.notification).toMatchObject({
			title: 'Deploy',
			silent: true,
		});
	});

	it('does not make an iPhone ring either', async () => {
		const iphone = await pairIphone(server);
		await iphone.call('PUT', '/channels/ops', { muted: true });
		await push('quiet', ['ops']);
		await push('loud');
		expect(bench.apns.taken.map(({ payload }) => payload.aps.alert.title)).toEqual(['loud']);
		expect(await iphone.inbox()).toHaveLength(2);
	});
});
