import { expect, it } from '@jest/globals';
import { removeDevice } from '../../src/service/phones/devices.ts';
import { loadReach } from '../../src/service/sending/audience.ts';
import { startTestServer } from '../support/server.ts';

it('a push loads no phone that was removed', async () => {
	const server = await startTestServer();
	const { account, context, phone } = server;
	const removed = await server.pairPhone();
	await server.addChannel('ops', { users: ['owner'] });
	await removed.call('DELETE', '');
	await removeDevice(context, account.id, removed.id);
	for (const slugs of [null, ['ops']]) {
		const reach = await loadReach(context.database.read, [{ accountId: account.id, slugs }]);
		const { devices, channels } = reach.get(account.id)!;
		const loaded = slugs ? channels.get('ops')! : devices;
		expect(loaded.map(({ id }) => id)).toEqual([phone.id]);
	}
	await server.close();
});
