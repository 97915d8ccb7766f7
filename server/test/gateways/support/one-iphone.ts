import { afterEach, beforeEach } from '@jest/globals';
import { type Bench, type Iphone, pairIphone, startBench } from './phones.ts';

/** The server, a local APNs and an account with a single iPhone: new for each test of an importing file. */
export let bench: Bench;
export let iphone: Iphone;

beforeEach(async () => {
	bench = await startBench();
	await bench.server.phone.call('DELETE', '');
	iphone = await pairIphone(bench.server);
});
afterEach(() => bench.close());

export const push = (body: object = {}) =>
	bench.server.call('POST', '/push-notification', { title: 'Order', ...body });
