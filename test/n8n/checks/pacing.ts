import { TestProxy } from '../../engine/test-proxy.ts';
import { TestServer } from '../../engine/server.ts';
import type { Check } from './check.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

/** More than two windows hold, at the server's default allowance. */
const COUNT = 130;

const titles = Array.from({ length: COUNT }, (_, index) => `Push ${index + 1}`);

const SENDING = {
	...chain('Sends many', [
		node('Begin', MANUAL_TRIGGER),
		node('Send', BECKON, { title: '={{ $json.title }}' }),
	]),
	pinData: { Begin: titles.map((title) => ({ json: { title } })) },
};

export const checkPacing: Check = (bench) => {
	describe('more pushes than a window has room for', () => {
		let server: TestServer;
		let proxy: TestProxy;

		beforeAll(async () => {
			server = await TestServer.start({ BECKON_RATE_WINDOW_SECONDS: '3' });
			proxy = await TestProxy.start(server.url);
		});

		afterAll(async () => {
			proxy.stop();
			await server.stop();
		});

		it('all arrive, each once, and none is refused', async () => {
			const { api, save } = bench();
			const { key: apiKey, phone } = await server.seedDemo();
			const access = { baseUrl: `${proxy.url}/api`, apiKey };
			const credential = await api.createCredential('Beckon, few pushes', 'beckonApi', access);

			const workflow = await save(SENDING, credential);
			const { status, error, itemsOf } = await api.settled(await api.run(workflow, 'Begin'));

			expect(error?.message).toBeUndefined();
			expect(status).toBe('success');
			expect(itemsOf('Send')).toHaveLength(COUNT);
			const arrived = (await phone.inbox()).map((delivery) =>
				delivery.kind === 'push' ? delivery.push.title : delivery.kind,
			);
			expect(arrived.sort()).toEqual([...titles].sort());
			expect(proxy.refusals).toBe(0);
		});
	});
};
