import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ACKNOWLEDGE_MS, SPREAD_MS } from '../../src/delivery/gateway.ts';
import type { TestPhone } from '../support/server.ts';
import { type Bench, deliveriesOf, pairBrowser, startBench } from './support/phones.ts';

let bench: Bench;
let browser: TestPhone;
/** Times the page was told to look at its inbox. */
let told: number;
let closePage: () => void;

beforeEach(async () => {
	bench = await startBench();
	await bench.server.phone.call('DELETE', '');
	browser = await pairBrowser(bench);
	told = 0;
	closePage = openPage(browser);
});
afterEach(async () => {
	expect(bench.pushService.mistakes).toEqual([]);
	await bench.close();
});

function openPage(phone: TestPhone) {
	return bench.server.context.openPages.subscribe({
		deviceId: phone.id,
		accountId: bench.server.account.id,
		notify: (change) => (told += change === 'inbox' ? 1 : 0),
	});
}

const push = (body: object = {}) =>
	bench.server.call('POST', '/push-notification', { title: 'Order', ...body });
const put = (percentage: number) =>
	bench.server.call('PUT', '/live-activity/stream/s', {
		content_state: { type: 'progress', title: 'Backup', percentage },
	});

async function acknowledgeAll() {
	const deliveries = (await browser.inbox()).map(({ id }) => id);
	await browser.call('POST', '/acknowledge', { deliveries });
}

/** All that is due once a page can no longer acknowledge, also what then waits for an earlier delivery. */
async function runOutOfTime() {
	bench.server.clock.advance((ACKNOWLEDGE_MS + SPREAD_MS) / 1_000);
	while ((await bench.server.context.outbox.runOnce()) > 0) await deliveriesOf(bench, browser);
}

const kindsReceived = () =>
	bench.pushService.receivedBy(browser.id).map(({ message }) => message.notification.data.kind);

describe('a phone with an open page and a subscription', () => {
	it('is told, counts as notified, and its push service is not called once it acknowledges', async () => {
		expect((await push()).body['devices_notified']).toBe(1);
		expect(told).toBe(1);
		expect(await deliveriesOf(bench, browser)).toMatchObject([{ state: 'pending', attempts: 0 }]);
		await acknowledgeAll();
		await runOutOfTime();
		expect(kindsReceived()).toEqual([]);
		expect(await deliveriesOf(bench, browser)).toMatchObject([{ state: 'received' }]);
	});

	it('is reached through its push service, once, if the page does not acknowledge', async () => {
		await push();
		await deliveriesOf(bench, browser);
		bench.server.clock.advance(ACKNOWLEDGE_MS / 1_000 - 1);
		expect(await bench.server.context.outbox.runOnce()).toBe(0);
		await runOutOfTime();
		await runOutOfTime();
		expect(kindsReceived()).toEqual(['push']);
		expect(await deliveriesOf(bench, browser)).toMatchObject([{ state: 'handed_over' }]);
	});

	it('is not waited for again while its page has missed one, until that has replaced its stream', async () => {
		await push();
		await deliveriesOf(bench, browser);
		await runOutOfTime();
		await push();
		expect(kindsReceived()).toEqual(['push', 'push']);
		bench.server.clock.advance(30);
		await push();
		expect(kindsReceived()).toEqual(['push', 'push']);
	});

	it('is reached through its push service at once when the page has closed', async () => {
		await push();
		await deliveriesOf(bench, browser);
		closePage();
		await push();
		expect(kindsReceived()).toEqual(['push']);
	});

	it('keeps what has no notification of its own', async () => {
		await bench.server.call('POST', '/badge', { badge: 3 });
		expect(await deliveriesOf(bench, browser)).toMatchObject([{ state: 'stored' }]);
		await runOutOfTime();
		expect(kindsReceived()).toEqual([]);
	});

	it('is told of everything in a lane, whatever it has acknowledged', async () => {
		await put(1);
		expect(told).toBe(1);
		await put(2);
		expect(told).toBeGreaterThan(1);
		const shown = (await browser.inbox()).map(({ kind }) => kind);
		expect(shown).toEqual(['activity_start', 'activity_update']);
		await acknowledgeAll();
		await runOutOfTime();
		expect(kindsReceived()).toEqual([]);
	});

	it('gets what it does not acknowledge from the push service in the order of the lane', async () => {
		await put(1);
		await deliveriesOf(bench, browser);
		await put(2);
		await deliveriesOf(bench, browser);
		await bench.server.call('DELETE', '/live-activity/stream/s', {});
		await runOutOfTime();
		expect(kindsReceived()).toEqual(['activity_start', 'activity_end']);
	});
});

it('spreads the push service’s calls for what a burst of pages has not acknowledged', async () => {
	const phones = [browser];
	while (phones.length < 8) {
		const phone = await pairBrowser(bench);
		openPage(phone);
		phones.push(phone);
	}
	const { now } = bench.server.clock;
	expect((await push()).body['devices_notified']).toBe(phones.length);
	const due = await Promise.all(phones.map((phone) => deliveriesOf(bench, phone)));
	const waits = due.flat().map(({ next_attempt_at: at }) => at - now);
	expect(new Set(waits).size).toBe(phones.length);
	for (const wait of waits) {
		expect(wait).toBeGreaterThanOrEqual(ACKNOWLEDGE_MS);
		expect(wait).toBeLessThan(ACKNOWLEDGE_MS + SPREAD_MS);
	}
});
