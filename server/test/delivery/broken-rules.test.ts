import { afterEach, describe, expect, it } from '@jest/globals';
import { States } from '../../src/collections.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

describe('a step out of turn', () => {
	it('is reported, and taken', () => {
		const reports: string[] = [];
		const states = new States<number, 'queued' | 'attempting'>('delivery', ({ message }) =>
			reports.push(message),
		);
		states.move(7, undefined, 'queued');
		states.move(7, 'queued', 'attempting');
		expect(reports).toEqual([]);
		states.move(7, 'queued', undefined);
		expect(reports).toEqual(['delivery 7 became undefined from attempting instead of queued']);
		expect(states.has(7)).toBe(false);
	});
});

describe('a broken rule', () => {
	let server: TestServer;
	const reports: string[] = [];
	afterEach(async () => {
		await server.close();
		reports.length = 0;
	});
	const start = async (gateway = new SteeredGateway()) => {
		const onError = (error: unknown) => reports.push(String(error));
		server = await startTestServer({ gateway: gateway.before, onError });
	};

	it('of the outbox is reported, and its deliveries arrive', async () => {
		await start();
		const { outbox, database } = server.context;
		outbox.start();
		outbox.start();
		expect(reports).toEqual(['Error: The outbox became working from working']);
		await server.call('POST', '/push-notification', { title: 'A' });
		const state = () => database.read.selectFrom('deliveries').select('state').executeTakeFirst();
		await waitFor('the outcome', async () => (await state())?.state === 'stored');
	});

	it('of a set fails its requests, with nothing stored', async () => {
		await start();
		const { database } = server.context;
		const add = database.inSets<string, string>(async (db, titles) => {
			for (const name of titles)
				await db
					.updateTable('accounts')
					.set({ name })
					.where('id', '=', server.account.id)
					.execute();
			return [];
		});
		const answers = await Promise.allSettled(
			['a', 'b'].map((name) => add(server.account.id, name)),
		);
		expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		const { name } = await database.read
			.selectFrom('accounts')
			.select('name')
			.where('id', '=', server.account.id)
			.executeTakeFirstOrThrow();
		expect(name).toBe(server.account.name);
	});
});
