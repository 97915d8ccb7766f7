import { beforeEach, describe, expect, it } from '@jest/globals';
import { categoryOf } from '../../src/contract/categories.ts';
import { historyEntry } from '../../src/service/history/entry.ts';
import { UNLIMITED } from '../support/samples.ts';
import { bench, iphone, withOneIphone } from './support/one-iphone.ts';
import { deliveriesOf, type Iphone, pairIphone } from './support/phones.ts';

withOneIphone(UNLIMITED);
// Only phones with the app are left.
beforeEach(() => iphone.call('DELETE', ''));

const APP = { layout: 'activity', channels: true, categories: [categoryOf([])] };
const pairApp = (app: object = APP) => pairIphone(bench.server, { app });

/** Sends a change of a stream, and waits for the outcomes on the phone. */
async function send(phone: Iphone, method: 'PUT' | 'DELETE', key: string, body: object) {
	const sent = await bench.server.call(method, `/live-activity/stream/${key}`, body);
	expect(sent).toMatchObject({ status: 200 });
	await deliveriesOf(bench, phone);
	return sent.body;
}

const put = (phone: Iphone, key: string, percentage: number, more: object = {}) =>
	send(phone, 'PUT', key, {
		content_state: { type: 'progress', title: key, percentage, subtitle: 'eu-1' },
		...more,
	});
const end = (phone: Iphone, key: string) => send(phone, 'DELETE', key, {});

/** Uses up what iOS starts in a short time. */
async function startTen(phone: Iphone): Promise<void> {
	for (let n = 1; n <= 10; n += 1) {
		await put(phone, `job-${n}`, 0);
		await end(phone, `job-${n}`);
	}
}

const startsOf = (phone: Iphone) =>
	bench.apns.takenFor(phone.startToken).filter(({ payload }) => payload.aps.event === 'start');
const notificationsOf = (phone: Iphone) =>
	bench.apns.takenFor(phone.pushToken).map(({ headers, payload }) => ({ headers, ...payload }));

describe('the start of a Live Activity beyond what iOS starts in a short time', () => {
	it('is a notification with its content, which follows the activity to its end', async () => {
		const phone = await pairApp();
		await startTen(phone);
		const alert = { title: 'Deploy', body: 'has begun' };
		const { activity_id: id } = await put(phone, 'eleventh', 12.34, { alert });
		await put(phone, 'eleventh', 40);
		await end(phone, 'eleventh');
		expect(startsOf(phone)).toHaveLength(10);
		const shown = notificationsOf(phone);
		const category = categoryOf([]);
		expect(shown.map(({ aps }) => aps)).toEqual([
			{ alert: { title: 'Deploy', body: 'has begun\n12.3%\neu-1' }, sound: 'default', category },
			...['40%\neu-1', 'Ended\n40%\neu-1'].map((body) => ({
				alert: { title: 'eleventh', body },
				'interruption-level': 'passive',
				category,
			})),
		]);
		for (const { headers, beckon } of shown) {
			expect(headers).toMatchObject({ 'apns-push-type': 'alert', 'apns-collapse-id': id });
			expect(beckon).toEqual({ delivery_id: expect.any(Number), activity_id: id });
		}
		expect(bench.apns.refusals).toEqual([]);
	});

	it('is told in the history, also after the phone has received it', async () => {
		const phone = await pairApp();
		await startTen(phone);
		const { activity_id: id } = await put(phone, 'eleventh', 1);
		const { context, account } = bench.server;
		const told = async () => {
			const { lifecycle } = await historyEntry(context, account.id, id);
			return lifecycle[0]?.deliveries[0];
		};
		const note =
			'Sent as a notification: 10 Live Activities were started on this phone within an hour';
		expect(await told()).toMatchObject({
			state: 'handed_over',
			error: note,
			advice: expect.stringContaining('Update a running one by its key'),
		});
		const deliveries = (await phone.inbox()).map((delivery: { id: number }) => delivery.id);
		await phone.call('POST', '/acknowledge', { deliveries });
		expect(await told()).toMatchObject({ state: 'received', error: note });
	});

	it('interrupts no phone that has muted its channels', async () => {
		const phone = await pairApp();
		await bench.server.addChannel('ops', { devices: [phone.id] });
		await phone.call('PUT', '/channels/ops', { muted: true });
		await startTen(phone);
		const more = { alert: { title: 'Deploy' }, target: { channels: ['ops'] } };
		await put(phone, 'eleventh', 1, more);
		const { aps } = notificationsOf(phone)[0]!;
		expect(aps).toMatchObject({ 'interruption-level': 'passive' });
		expect(aps).not.toHaveProperty('sound');
	});

	it('is a Live Activity again after an hour, on another phone, and where a running one goes on', async () => {
		const [phone, other] = [await pairApp(), await pairApp()];
		await bench.server.addChannel('one', { devices: [phone.id] });
		await bench.server.addChannel('other', { devices: [other.id] });
		const to = (channel: string) => ({ target: { channels: [channel] } });
		for (let percentage = 0; percentage < 20; percentage += 1)
			await put(phone, 'running', percentage, to('one'));
		expect(startsOf(phone)).toHaveLength(1);
		for (let n = 2; n <= 11; n += 1) {
			await put(phone, `job-${n}`, 0, to('one'));
			await end(phone, `job-${n}`);
		}
		expect(startsOf(phone)).toHaveLength(10);
		await put(other, 'elsewhere', 0, to('other'));
		expect(startsOf(other)).toHaveLength(1);
		bench.server.clock.advance(3_600);
		await put(phone, 'later', 0, to('one'));
		expect(startsOf(phone)).toHaveLength(11);
	});

	it('waits for its turn like any start while Apple is busy, and is counted once it was sent', async () => {
		const phone = await pairApp();
		await startTen(phone);
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		await put(phone, 'eleventh', 1);
		expect(notificationsOf(phone)).toEqual([]);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		await put(phone, 'eleventh', 2);
		expect(notificationsOf(phone).map(({ aps }) => aps.alert.body)).toEqual([
			'1%\neu-1',
			'2%\neu-1',
		]);
	});
});

/** What other apps have had on real phones: activities that came as notifications at random, or not at all. */
describe('a Live Activity that iOS may start', () => {
	it('is never sent as a notification, whatever happens to it', async () => {
		const phone = await pairApp();
		for (const [n, fault] of [
			undefined,
			{ status: 503, reason: 'ServiceUnavailable' },
			'reset after taking',
			'reset stream',
			'goaway',
		].entries()) {
			if (fault) bench.apns.failOnce(fault as 'goaway');
			await put(phone, `job-${n}`, 1, { alert: { title: 'Begun' } });
			bench.server.clock.advance(60);
			await bench.server.context.outbox.runOnce();
			await put(phone, `job-${n}`, 2, { alert: { title: 'Almost' } });
			await end(phone, `job-${n}`);
		}
		expect(notificationsOf(phone)).toEqual([]);
		const shown = bench.apns.shownTo(phone.startToken).map(({ payload }) => payload.aps.event);
		expect(shown.filter((event) => event !== 'start')).toEqual(
			Array.from({ length: 5 }, () => ['update', 'end']).flat(),
		);
	});

	it('is started with the new token after Apple has refused the old one', async () => {
		const phone = await pairApp();
		bench.apns.gone.add(phone.startToken);
		await put(phone, 'first', 1);
		expect(startsOf(phone)).toEqual([]);
		await phone.call('PUT', '/tokens', { push_to_start_token: 'ab99' });
		await put(phone, 'second', 1);
		expect(bench.apns.takenFor('ab99').map(({ payload }) => payload.aps.event)).toEqual(['start']);
	});
});
