import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { type Bench, deliveriesOf, pairBrowser, pairIphone, startBench } from './support/phones.ts';

/** Closed phones, when somebody answers on another one. */
describe('the answer to a question', () => {
	let bench: Bench;
	let receiver: Receiver;
	beforeEach(async () => {
		bench = await startBench();
		receiver = await startReceiver(({ path }, response) => {
			response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ final: path === '/final' }));
		});
	});
	afterEach(async () => {
		expect(bench.pushService.mistakes).toEqual([]);
		await receiver.close();
		await bench.close();
	});

	const button = (title: string, path = '/final') => ({
		title,
		type: 'webhook',
		url: `${receiver.url}${path}`,
	});

	/** Sends a question, and answers it on the owner's open page with the first button. */
	const askAndAnswer = async (fields: object = {}) => {
		await bench.server.call('POST', '/push-notification', {
			title: 'Deploy?',
			message: 'Version 4.2',
			interruption_level: 'time-sensitive',
			actions: [button('Approve'), button('Decline')],
			...fields,
		});
		await tap();
	};
	const tap = async (action = 0) => {
		const { phone } = bench.server;
		const [{ id }] = await phone.inbox();
		const report = { tap_id: randomUUID(), delivery_id: id, action };
		const { body } = await phone.call('POST', '/taps', report);
		expect(body['outcome']).toBe('called');
	};

	it('takes the place of the notification of a closed browser, without a sound', async () => {
		const browser = await pairBrowser(bench);
		await askAndAnswer();
		const received = () => bench.pushService.receivedBy(browser.id);
		await waitFor('the answer', () => received().length === 2);
		const [asked, answered] = received();
		expect(answered?.headers['topic']).toBe(asked?.headers['topic']);
		const { notification } = answered!.message;
		expect(notification).toMatchObject({
			title: 'Deploy?',
			body: 'Approved by owner\nVersion 4.2',
			tag: asked!.message.notification.tag,
			silent: true,
		});
		const [question, update] = await browser.inbox();
		expect(notification.data).toEqual(update);
		expect(update).toMatchObject({ kind: 'push_update', delivery_id: question.id });
	});

	it('takes the place of the notification of an iPhone, without a sound or buttons', async () => {
		const iphone = await pairIphone(bench.server);
		await askAndAnswer({ message: 'm'.repeat(4_000) });
		const taken = () => bench.apns.takenFor(iphone.pushToken);
		await waitFor('the answer', () => taken().length === 2);
		const [asked, answered] = taken();
		expect(answered?.headers).toMatchObject({
			'apns-collapse-id': asked?.headers['apns-collapse-id'],
			'apns-push-type': 'alert',
			'apns-priority': '5',
		});
		const { aps, beckon } = answered!.payload;
		expect(aps).toEqual({
			alert: { title: 'Deploy?', body: expect.stringMatching(/^Approved by owner\nm+…$/) },
			'interruption-level': 'passive',
		});
		expect(beckon).toMatchObject({
			delivery_id: asked?.payload.beckon.delivery_id,
			answer: { button: 'Approve', by: 'owner', final: true },
		});
		expect(bench.apns.refusals).toEqual([]);
	});

	it('comes to an iPhone with the state of a Live Activity', async () => {
		const iphone = await pairIphone(bench.server);
		const { body } = await bench.server.call('POST', '/live-activity/start', {
			content_state: { type: 'alert', title: 'Deploy', message: 'Go?' },
			action: button('Approve'),
		});
		const activityId = String(body['activity_id']);
		const token = await iphone.registerActivity(activityId);
		await bench.server.phone.call('POST', '/taps', {
			tap_id: randomUUID(),
			activity_id: activityId,
			action: 'action',
		});
		const [taken] = await waitFor('the answer', () => {
			const all = bench.apns.takenFor(token);
			return all.length > 0 ? all : undefined;
		});
		expect(taken?.payload.aps).toMatchObject({
			event: 'update',
			'content-state': {
				action: { title: 'Approve', closed: true },
				answer: { button: 'Approve', by: 'owner', final: true },
			},
		});
	});

	it('keeps a muted phone quiet', async () => {
		const browser = await pairBrowser(bench);
		await bench.server.addChannel('ops', { devices: [browser.id, bench.server.phone.id] });
		await browser.call('PUT', '/channels/ops', { muted: true });
		await askAndAnswer({ target: { channels: ['ops'] } });
		expect((await deliveriesOf(bench, browser)).map(({ muted }) => muted)).toEqual([1, 1]);
		expect(bench.pushService.receivedBy(browser.id)).toEqual([]);
	});

	it('is the newest of several, in order, when the push service was away', async () => {
		const browser = await pairBrowser(bench);
		await bench.server.call('POST', '/push-notification', {
			title: 'Volume',
			actions: [button('Louder', '/open'), button('Quieter', '/open')],
		});
		await deliveriesOf(bench, browser);
		const { pushService } = bench;
		pushService.fault = () => ({ status: 503 });
		await tap(0);
		await deliveriesOf(bench, browser);
		await tap(1);
		await deliveriesOf(bench, browser);
		pushService.fault = undefined;
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		const states = (await deliveriesOf(bench, browser)).map(({ state }) => state);
		expect(states).toEqual(['handed_over', 'superseded', 'handed_over']);
		const last = pushService.receivedBy(browser.id).at(-1);
		expect(last?.message.notification.data.push.answer).toMatchObject({
			button: 'Quieter',
			final: false,
		});
	});
});
