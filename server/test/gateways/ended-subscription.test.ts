import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Console, signedIn } from '../console/support/console.ts';
import { runCli } from '../support/process.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { startTestServer, type TestPhone } from '../support/server.ts';
import { type Bench, deliveriesOf, pairBrowser, startBench } from './support/phones.ts';

let bench: Bench;
let browser: TestPhone;
let owner: Console;

beforeEach(async () => {
	bench = await startBench();
	await bench.server.phone.call('DELETE', '');
	browser = await pairBrowser(bench);
	owner = await signedIn(bench.server);
});
afterEach(() => bench.close());

const push = () => bench.server.call('POST', '/push-notification', { title: 'Order' });

/** A push to a browser whose push service answers with the status. */
async function end(status = 410) {
	bench.pushService.fault = () => ({ status });
	const { body } = await push();
	await deliveriesOf(bench, browser);
	while ((await bench.server.context.outbox.runOnce()) > 0) await deliveriesOf(bench, browser);
	bench.pushService.fault = undefined;
	return body;
}

const SINCE = 'No notifications since 2026-03-01 12:00 UTC: open the page.';
async function row() {
	const { body } = await owner.call('GET', '/devices');
	return body['devices'].find(({ id }: { id: string }) => id === browser.id);
}

describe.each([404, 410])('a browser whose push service answers %d', (status) => {
	it('stays paired, counts as a closed page, and has the message in its inbox', async () => {
		expect((await end(status))['devices_notified']).toBe(1);
		expect((await browser.snapshot()).notifications).toMatchObject([{ push: { title: 'Order' } }]);
		expect(await deliveriesOf(bench, browser)).toMatchObject([
			{ state: 'stored', failures: expect.stringContaining(`answered ${status}`) },
		]);
		const { status: taken, body } = await bench.server.call('POST', '/badge', { badge: 4 });
		expect([taken, body['devices_updated']]).toEqual([200, 1]);
		expect((await browser.snapshot()).badge).toBe(4);
	});
});

describe('a browser whose subscription has ended', () => {
	it('keeps its slug and its channels', async () => {
		await bench.server.addChannel('ops', { devices: [browser.id] });
		const channels = () => browser.call('GET', '/channels').then(({ body }) => body);
		const before = [await channels(), (await row())['channels']];
		await end();
		expect([await channels(), (await row())['channels']]).toEqual(before);
	});

	it('is shown as such, with the time, in the console and by the command', async () => {
		await end();
		expect(await row()).toMatchObject({ reach: 'while_open', advice: SINCE, last_failure: null });
		const { store, account, settings } = bench.server;
		const list = ['device', 'list', '--account', account.name, '--data', store.directory];
		const { stdout } = await runCli(list, settings);
		expect(stdout).toContain(SINCE);
	});

	it('is named so in the outcome of each message, and of a test push', async () => {
		await end();
		bench.server.clock.advance(3_600);
		await push();
		await deliveriesOf(bench, browser);
		const { body: history } = await owner.call('GET', '/history');
		expect(history['entries']).toHaveLength(2);
		for (const { id } of history['entries']) {
			const { body } = await owner.call('GET', `/history/${id}`);
			expect(body['lifecycle'][0].deliveries).toMatchObject([{ state: 'stored', advice: SINCE }]);
		}
		const { body: test } = await owner.call('POST', `/devices/${browser.id}/test`);
		expect(test['message']).toBe(`Stored until opened. ${SINCE}`);
	});

	it('learns from the key that what it still has is of no use, until it subscribes again', async () => {
		const key = async () => (await browser.call('GET', '/web-push-key')).body;
		const before = await key();
		await end();
		expect(await key()).toEqual({ ...before, has_ended: true });
		const push_subscription = bench.pushService.subscribe('again');
		await browser.call('PUT', '/tokens', { push_subscription });
		expect(await key()).toEqual(before);
		expect(await row()).toMatchObject({ reach: 'push', advice: null, last_failure: null });
		await push();
		expect(bench.pushService.receivedBy('again')).toHaveLength(1);
	});

	it('says that notifications are off, once its person turns them off', async () => {
		await end();
		await browser.call('PUT', '/tokens', { push_subscription: null });
		expect((await row())['advice']).toContain('Notifications are off');
	});
});

it('forgets no subscription that the page has made since', async () => {
	const gateway = new SteeredGateway();
	const server = await startTestServer({ gateway: gateway.before });
	try {
		const { keys } = bench.pushService.subscribe('x');
		const subscribe = (name: string) =>
			server.phone.call('PUT', '/tokens', {
				push_subscription: { endpoint: `https://push.example.com/${name}`, keys },
			});
		await subscribe('older');
		let attempts = 0;
		const reason = 'The push service answered 410';
		gateway.answer = () => {
			attempts += 1;
			if (attempts > 1) return undefined;
			return subscribe('newer').then(() => ({ kind: 'retry', reason, isUnsubscribed: true }));
		};
		await server.call('POST', '/push-notification', { title: 'Order' });
		await outcomesRecorded(server);
		await server.context.outbox.runOnce();
		expect(attempts).toBe(2);
		const found = await server.context.database.read
			.selectFrom('devices')
			.select(['push_subscription_json', 'failed_at'])
			.where('id', '=', server.phone.id)
			.executeTakeFirst();
		expect(found).toEqual({
			push_subscription_json: expect.stringContaining('newer'),
			failed_at: null,
		});
	} finally {
		await server.close();
	}
});
