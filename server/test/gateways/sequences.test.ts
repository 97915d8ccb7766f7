import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordFailures } from '../../src/store/outbox/outcomes.ts';
import { send } from '../senders/support/send.ts';
import { waitFor } from '../support/wait.ts';
import { type Bench, deliveriesOf, pairBrowser, pairIphone, startBench } from './support/phones.ts';

/** Closed phones, while a message is replaced and cleared. */
describe('the pushes of a sequence', () => {
	let bench: Bench;
	let key: string;
	beforeEach(async () => {
		bench = await startBench();
		await bench.server.addChannel('ops', { users: ['owner'] });
		key = await bench.server.addSenderKey(['ops']);
	});
	afterEach(async () => {
		expect(bench.pushService.mistakes).toEqual([]);
		await bench.close();
	});

	const publish = (body: string, id = 'backup-1') =>
		send(bench.server, `/ntfy/ops/${id}`, { key, body });
	const clear = () => send(bench.server, '/ntfy/ops/backup-1/clear', { method: 'PUT', key });

	it('replace the notification of a closed browser, and close it', async () => {
		const browser = await pairBrowser(bench);
		await publish('started');
		await publish('done');
		await publish('by itself', 'other');
		await clear();
		const received = () => bench.pushService.receivedBy(browser.id);
		await waitFor('the clearing', () => received().length === 4);
		const [started, done, other, cleared] = received().map(({ headers, message }) => ({
			topic: headers['topic'],
			tag: message.notification.tag,
		}));
		expect([done, cleared]).toEqual([started, started]);
		expect(started?.topic).toBe(started?.tag);
		expect(other?.tag).not.toBe(started?.tag);
		expect(received().at(-1)?.message.notification).toMatchObject({
			silent: true,
			data: { kind: 'push_update', push: { message: 'done', cleared: true } },
		});
	});

	it('are not tried again if they are replaced during an attempt that fails', async () => {
		const iphone = await pairIphone(bench.server);
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		await publish('started');
		const [delivery] = await deliveriesOf(bench, iphone);
		expect(delivery!.state).toBe('pending');
		const { database } = bench.server.context;
		await database.write(null, async (db) => {
			const { id, next_attempt_at } = delivery!;
			// As `retireDeliveries` leaves one that is being attempted.
			await db.updateTable('deliveries').set({ dismissed_at: 1 }).where('id', '=', id).execute();
			const reason = { last_error: '503', failures: '1 503' };
			await recordFailures(db, [{ id, state: 'pending', attempts: 2, next_attempt_at, ...reason }]);
		});
		expect((await deliveriesOf(bench, iphone))[0]!.state).toBe('superseded');
	});

	it('replace the notification of an iPhone, which nothing can close', async () => {
		const iphone = await pairIphone(bench.server);
		await publish('started');
		await publish('done');
		await clear();
		const cleared = await waitFor('the clearing', async () =>
			(await iphone.inbox()).find(({ kind }) => kind === 'push_update'),
		);
		expect(cleared).toMatchObject({ push: { cleared: true } });
		const taken = bench.apns.takenFor(iphone.pushToken);
		expect(taken.map(({ payload }) => payload.aps)).toMatchObject([
			{ alert: { body: 'started' } },
			{ alert: { body: 'done' }, sound: 'default' },
		]);
		const [first, again] = taken.map(({ headers }) => headers['apns-collapse-id']);
		expect(again).toBe(first);
		expect(bench.apns.refusals).toEqual([]);
	});
});
