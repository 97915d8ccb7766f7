import type { Delivery } from '../../server/src/contract/device.ts';
import { TestServer } from '../../test/engine/server.ts';
import { send, type Contestant } from './contestants.ts';
import { TestProxy } from '../../test/engine/test-proxy.ts';

export interface WindowSettings {
	/** Pushes that the service accepts in one window. */
	quota: number;
	windowSeconds: number;
	/** The number of windows that the pushes fill. */
	windows: number;
}

export interface Filled {
	milliseconds: number;
	/** The time ÷ the least time in which this many windows can open. */
	ratio: number;
	refusals: number;
	/** Items whose push is not in the phone's inbox. */
	failures: number;
	/** Pushes in the phone's inbox beyond one per item. */
	duplicates: number;
}

/** Sends several windows of pushes through a node, and checks the phone's inbox. */
export async function fillWindows(
	contestant: Contestant,
	{ quota, windowSeconds, windows }: WindowSettings,
): Promise<Filled> {
	const server = await TestServer.start({
		BECKON_RATE_NOTIFICATIONS: String(quota),
		BECKON_RATE_PER_ADDRESS: '10000000',
		BECKON_RATE_WINDOW_SECONDS: String(windowSeconds),
	});
	const proxy = await TestProxy.start(server.url);
	try {
		const { key: apiKey, phone } = await server.seedDemo();
		const items = Array.from({ length: quota * windows }, (_, index) => ({ title: `#${index}` }));
		const target = { baseUrl: `${proxy.url}/api`, apiKey };
		const { milliseconds } = await send(contestant, { title: '={{ $json.title }}' }, items, target);
		const titles = (await phone.inbox()).map(titleOf).filter((title) => title.startsWith('#'));
		const arrived = new Set(titles).size;
		return {
			milliseconds,
			ratio: milliseconds / ((windows - 1) * windowSeconds * 1000),
			refusals: proxy.refusals,
			failures: items.length - arrived,
			duplicates: titles.length - arrived,
		};
	} finally {
		proxy.stop();
		await server.stop();
	}
}

function titleOf(delivery: Delivery): string {
	return delivery.kind === 'push' ? delivery.push.title : '';
}
