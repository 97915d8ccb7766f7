import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a key restricted to channels', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
	});
	afterAll(() => server.close());

	/** The statements about keys that a push runs outside its transaction, once the key's last use is recorded. */
	async function readsOf(key: string): Promise<number> {
		const push = async () =>
			expect(
				await server.call('POST', '/push-notification', { title: 'A' }, { key }),
			).toMatchObject({ status: 200 });
		await push();
		const run = jest.spyOn(server.context.database.read.getExecutor(), 'executeQuery');
		await push();
		const statements = run.mock.calls.map(([{ sql }]) => sql);
		run.mockRestore();
		return statements.filter((sql) => sql.includes('api_key')).length;
	}

	it('is looked up with its channels, in no more statements than any other', async () => {
		await server.addChannel('ops', { devices: [server.phone.id] });
		await server.addChannel('alerts', { devices: [server.phone.id] });
		const reads = await readsOf(server.account.key);
		expect(reads).toBeGreaterThan(0);
		expect(await readsOf(await server.addKey(server.account.id, ['ops', 'alerts']))).toBe(reads);
	});
});
