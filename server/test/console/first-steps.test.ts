import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { SUBSCRIPTION } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

let server: TestServer;
let gateway: SteeredGateway;
let owner: Console;

beforeEach(async () => {
	gateway = new SteeredGateway();
	server = await startTestServer({ gateway: gateway.before });
	owner = await signedIn(server);
});
afterEach(() => server.close());

const steps = async () => (await owner.call('GET', '/first-steps')).body;
const NONE = { phone: false, notifications: false, arrived: false, workflow: false, last: null };

it('ticks each step of the first minute as the account takes it', async () => {
	await owner.call('DELETE', `/devices/${server.phone.id}`);
	expect(await steps()).toEqual(NONE);
	const phone = await server.pairPhone();
	expect(await steps()).toEqual({ ...NONE, phone: true });
	await phone.call('PUT', '/tokens', { push_subscription: SUBSCRIPTION });
	expect(await steps()).toEqual({ ...NONE, phone: true, notifications: true });
	gateway.answer = () => ({ kind: 'handed_over' });
	await owner.call('POST', '/playground/send', { request: 'push', body: { title: 'Hello' } });
	await outcomesRecorded(server);
	expect(await steps()).toMatchObject({ arrived: true, workflow: false, last: { title: 'Hello' } });
	await server.call('POST', '/push-notification', { title: 'From a workflow' });
	await outcomesRecorded(server);
	expect(await steps()).toMatchObject({ arrived: true, workflow: true });
});

it('waits for the push to arrive, whatever was sent', async () => {
	await server.call('POST', '/push-notification', { title: 'Stored' });
	const last = { title: 'Stored', phones: { stored: 1 } };
	expect(await steps()).toMatchObject({ arrived: false, workflow: false, last });
	const deliveries = (await server.phone.inbox()).map(({ id }) => id);
	await server.phone.call('POST', '/acknowledge', { deliveries });
	expect(await steps()).toMatchObject({ arrived: true, workflow: true });
});

it('knows nothing of another account', async () => {
	await server.call('POST', '/push-notification', { title: 'Hello' });
	const other = await server.addAccount();
	const stranger = await signedIn(server, { account: other.id });
	expect((await stranger.call('GET', '/first-steps')).body).toEqual(NONE);
});
