import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { pushExpiry } from '../../src/service/sending/stored-pushes.ts';
import { settleDue } from '../support/later.ts';
import { type Bench, deliveriesOf, pairBrowser, pairIphone, startBench } from './support/phones.ts';

let bench: Bench;
beforeEach(async () => {
	bench = await startBench();
});
afterEach(async () => {
	expect(bench.pushService.mistakes).toEqual([]);
	await bench.close();
});

const send = () =>
	bench.server.call('POST', '/push-notification', { title: 'x' }, { headers: { ttl: '600' } });
async function passExpiry() {
	bench.server.clock.advance(601);
	await settleDue(bench.server.context, pushExpiry);
}

it('tells the push service of a browser how long is left, also in a later attempt', async () => {
	const browser = await pairBrowser(bench);
	bench.pushService.failOnce({ status: 503 });
	await send();
	await deliveriesOf(bench, browser);
	bench.server.clock.advance(60);
	await bench.server.context.outbox.runOnce();
	const [received] = bench.pushService.receivedBy(browser.id);
	expect(received?.headers['ttl']).toBe('540');
	await passExpiry();
	expect((await deliveriesOf(bench, browser))[0]?.state).toBe('expired');
});

it('tells Apple when, and leaves the rest to it: an iPhone acknowledges nothing it shows', async () => {
	const iphone = await pairIphone(bench.server);
	await send();
	const [taken] = bench.apns.takenFor(iphone.pushToken);
	expect(taken?.headers['apns-expiration']).toBe(String(bench.server.clock.now / 1_000 + 600));
	await deliveriesOf(bench, iphone);
	await passExpiry();
	expect((await deliveriesOf(bench, iphone))[0]).toMatchObject({
		state: 'handed_over',
		dismissed_at: null,
	});
});

it('expires what Apple has not accepted', async () => {
	const iphone = await pairIphone(bench.server);
	bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
	await send();
	await deliveriesOf(bench, iphone);
	await passExpiry();
	expect((await deliveriesOf(bench, iphone))[0]?.state).toBe('expired');
});
