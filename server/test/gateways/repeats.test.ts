import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { type Bench, deliveriesOf, pairBrowser, pairIphone, startBench } from './support/phones.ts';

/** Closed phones, while nobody reacts. */
describe('a repeated push', () => {
	let bench: Bench;
	let receiver: Receiver;
	beforeEach(async () => {
		bench = await startBench();
		receiver = await startReceiver((_request, response) => response.end());
	});
	afterEach(async () => {
		expect(bench.pushService.mistakes).toEqual([]);
		await receiver.close();
		await bench.close();
	});

	/** Sends it, and lets a minute pass. */
	const sendTwice = async (push: object = {}) => {
		const { status } = await bench.server.call('POST', '/push-notification/repeated', {
			push: { title: 'Water in the cellar', ...push },
			repeat: { every_minutes: 1, times: 5 },
		});
		expect(status).toBe(200);
		bench.server.clock.advance(60);
		await settleDue(bench.server.context, repeats);
	};

	it('replaces the notification of a closed browser, and alerts again', async () => {
		const browser = await pairBrowser(bench);
		await sendTwice();
		const [first, again] = bench.pushService.receivedBy(browser.id);
		// A browser that was off gets only the last.
		expect(again?.headers['topic']).toBe(first?.headers['topic']);
		const { notification } = again!.message;
		expect(notification).toMatchObject({
			tag: first!.message.notification.tag,
			renotify: true,
			silent: false,
		});
		const inbox = await browser.inbox();
		expect(notification.data).toEqual(inbox[1]);
		expect(inbox[1].id).toBeGreaterThan(inbox[0].id);
	});

	it('replaces the notification of an iPhone, and alerts again', async () => {
		const iphone = await pairIphone(bench.server);
		await sendTwice();
		const [first, again] = bench.apns.takenFor(iphone.pushToken);
		expect(again?.headers['apns-collapse-id']).toBe(first?.headers['apns-collapse-id']);
		expect(again?.headers['apns-priority']).toBe('10');
		expect(again?.payload.aps).toMatchObject({ sound: 'default', 'interruption-level': 'active' });
		const ids = (await iphone.inbox()).map(({ id }) => id);
		expect([first, again].map((taken) => taken?.payload.beckon.delivery_id)).toEqual(ids);
		expect(bench.apns.refusals).toEqual([]);
	});

	it('replaces no other push', async () => {
		const browser = await pairBrowser(bench);
		const iphone = await pairIphone(bench.server);
		await sendTwice();
		await sendTwice();
		const tags = bench.pushService
			.receivedBy(browser.id)
			.map(({ message }) => message.notification.tag);
		expect(new Set(tags).size).toBe(2);
		const collapseIds = bench.apns
			.takenFor(iphone.pushToken)
			.map(({ headers }) => headers['apns-collapse-id']);
		expect(new Set(collapseIds).size).toBe(2);
	});

	it('is handed over as often as it is sent', async () => {
		const browser = await pairBrowser(bench);
		await sendTwice();
		const states = (await deliveriesOf(bench, browser)).map(({ state }) => state);
		expect(states).toEqual(['handed_over', 'handed_over']);
	});

	it('is answered in place of its last notification', async () => {
		const browser = await pairBrowser(bench);
		await sendTwice({ actions: [{ title: 'On my way', type: 'webhook', url: receiver.url }] });
		const { phone } = bench.server;
		const [, { id }] = await phone.inbox();
		const tap = { tap_id: randomUUID(), delivery_id: id, action: 0 };
		expect((await phone.call('POST', '/taps', tap)).body['outcome']).toBe('called');
		const received = () => bench.pushService.receivedBy(browser.id);
		await waitFor('the answer', () => received().length === 3);
		const [, again, answered] = received();
		expect(answered!.message.notification).toMatchObject({
			tag: again!.message.notification.tag,
			silent: true,
			renotify: false,
			data: { kind: 'push_update', delivery_id: again!.message.notification.data.id },
		});
	});
});
