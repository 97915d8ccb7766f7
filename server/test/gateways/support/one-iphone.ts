import { afterEach, beforeEach } from '@jest/globals';
import { type Bench, type Iphone, pairIphone, startBench } from './phones.ts';

/** The server, a local APNs and an account with a single iPhone. */
export let bench: Bench;
export let iphone: Iphone;

/** Makes them anew for each test of the calling file. */
export function withOneIphone(settings: Record<string, string> = {}): void {
	beforeEach(async () => {
		bench = await startBench(settings);
		await bench.server.phone.call('DELETE', '');
		iphone = await pairIphone(bench.server);
	});
	afterEach(() => bench.close());
}

export const push = (body: object = {}) =>
	bench.server.call('POST', '/push-notification', { title: 'Order', ...body });
