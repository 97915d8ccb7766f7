import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SUBSCRIPTION } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;

beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
});
afterEach(() => server.close());

const steps = async () => (await owner.call('GET', '/first-steps')).body;
const NONE = { phone: false, notifications: false, sent: false, workflow: false };

it('ticks each step of the first day as the account takes it', async () => {
	await owner.call('DELETE', `/devices/${server.phone.id}`);
	expect(await steps()).toEqual(NONE);
	const phone = await server.pairPhone();
	expect(await steps()).toEqual({ ...NONE, phone: true });
	await phone.call('PUT', '/tokens', { push_subscription: SUBSCRIPTION });
	expect(await steps()).toEqual({ ...NONE, phone: true, notifications: true });
	const request = { request: 'push', body: { title: 'Hello' } };
	await owner.call('POST', '/playground/send', request);
	expect(await steps()).toEqual({ phone: true, notifications: true, sent: true, workflow: false });
	await server.call('POST', '/push-notification', { title: 'From a workflow' });
	expect(Object.values(await steps())).toEqual([true, true, true, true]);
});

it('knows nothing of another account', async () => {
	await server.call('POST', '/push-notification', { title: 'Hello' });
	const other = await server.addAccount();
	const stranger = await signedIn(server, { account: other.id });
	expect((await stranger.call('GET', '/first-steps')).body).toEqual(NONE);
});
