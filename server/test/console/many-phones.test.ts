import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntryDetail } from '../../src/contract/console/history.ts';
import { createPairCode, pair } from '../../src/service/phones/pairing.ts';
import { SUBSCRIPTION } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Console, signedIn } from './support/console.ts';

const PHONES = 30;

let server: TestServer;
let owner: Console;

beforeAll(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
	await owner.call('POST', '/users', { name: 'Anna' });
	const { context, account } = server;
	for (let number = PHONES; number > 0; number -= 1) {
		const { code } = await createPairCode(context, account.id, number > 15 ? 'Anna' : 'Olga');
		await pair(context, { code, name: `Tablet ${number}`, platform: 'web' });
	}
});
afterAll(() => server.close());

interface Listed {
	names: string[];
	total: number;
	page: number;
}

async function list(query: string): Promise<Listed> {
	const { status, body } = await owner.call('GET', `/devices?${query}`);
	expect(status).toBe(200);
	const { devices, total, page, of } = body as any;
	// The one that every test's account has.
	expect(of).toBe(PHONES + 1);
	return { names: devices.map(({ name }: { name: string }) => name), total, page };
}

/** The names on all pages. */
async function namesOn(query: string): Promise<string[]> {
	const names: string[] = [];
	for (let page = 1; ; page += 1) {
		const listed = await list(`${query}&page=${page}`);
		if (listed.page < page) return names;
		names.push(...listed.names);
	}
}

const tablets = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, index) => `Tablet ${from + index}`);

describe('the list of phones', () => {
	it('comes page by page, as often as asked', async () => {
		const first = { names: tablets(1, 24), total: PHONES, page: 1 };
		expect(await list('search=tablet&sort=name&page=1')).toEqual(first);
		const second = { names: tablets(25, 30), total: PHONES, page: 2 };
		expect(await list('search=tablet&sort=name&page=2')).toEqual(second);
	});

	it('ends with its last page, even if a later one is asked for', async () => {
		expect(await list('search=tablet&sort=name&page=9')).toMatchObject({ page: 2 });
	});

	it('begins with its first page', async () => {
		expect(await list('search=tablet&sort=name')).toEqual(
			await list('search=tablet&sort=name&page=1'),
		);
	});

	it('is searched by the words in the names of phone and person', async () => {
		const { names, total } = await list('search=TABLET%20anna&sort=name');
		expect([names, total]).toEqual([tablets(16, 30), 15]);
		expect((await list('search=100%25')).total).toBe(0);
	});

	it('has a phone by its id', async () => {
		expect(await list(`id=${server.phone.id}`)).toEqual({ names: ['Phone'], total: 1, page: 1 });
	});

	it('shows the channels of a phone, its own and those of its person', async () => {
		const { id } = server.phone;
		await server.addChannel('ops', { devices: [id], users: ['Olga'] });
		await server.addChannel('alerts', { users: ['Olga'] });
		const { body } = await owner.call('GET', `/devices?id=${id}`);
		expect(body['devices'][0].channels).toEqual(['alerts', 'ops']);
	});

	it('is filtered by how a phone can be reached', async () => {
		expect(await list('reach=push&page=1')).toEqual({ names: [], total: 0, page: 1 });
		expect((await list('reach=while_open')).total).toBe(PHONES + 1);
		const { phone, account, context } = server;
		const subscriber = { deviceId: phone.id, accountId: account.id, notify: () => undefined };
		const stop = context.openPages.subscribe(subscriber);
		expect((await list('reach=open')).names).toEqual(['Phone']);
		expect((await list('reach=while_open')).total).toBe(PHONES);
		stop();
		await phone.call('PUT', '/tokens', { push_subscription: SUBSCRIPTION });
		expect((await list('reach=push')).names).toEqual(['Phone']);
	});

	it('is sorted by phone and by person', async () => {
		expect(await namesOn('search=tablet&sort=name')).toEqual(tablets(1, PHONES));
		const byPerson = [...tablets(16, PHONES), ...tablets(1, 15)];
		expect(await namesOn('search=tablet&sort=user')).toEqual(byPerson);
	});

	it('is sorted by when a phone was last seen, the latest first', async () => {
		// A time is written again once it is more than a minute old, and no answer waits for it.
		server.clock.advance(61);
		await server.phone.call('GET', '/inbox');
		await server.context.lastUsed.idle();
		expect((await list('sort=last_seen')).names[0]).toBe('Phone');
	});

	it('refuses an order that it does not know, and says which there are', async () => {
		const { status, body } = await owner.call('GET', '/devices?sort=size');
		expect(status).toBe(400);
		expect(body.message).toContain('paired, name, user, last_seen');
	});
});

describe('an entry for all phones', () => {
	const detail = async (id: string, query = '') => {
		const { status, body } = await owner.call('GET', `/history/${id}?${query}`);
		expect(status).toBe(200);
		const { lifecycle, phones } = body as unknown as EntryDetail;
		expect(Object.values(phones).reduce((sum, count) => sum + count)).toBe(PHONES + 1);
		return lifecycle.flatMap(({ deliveries }) => deliveries.map(({ device }) => device));
	};
	const sent = async () => {
		const request = { request: 'push', body: { title: 'To all' } };
		const { body } = await owner.call('POST', '/playground/send', request);
		const id = body['history_id'] as string;
		await waitFor('the deliveries', async () => {
			const { phones } = (await owner.call('GET', `/history/${id}`)).body as unknown as EntryDetail;
			return phones.stored >= PHONES;
		});
		return id;
	};

	it('is found from the Playground’s answer, which names it', async () => {
		const id = await sent();
		const { body } = await owner.call('GET', '/history');
		expect(body['entries'].map((entry: { id: string }) => entry.id)).toContain(id);
		expect((await detail(id)).length).toBe(PHONES + 1);
	});

	it('names no entry for a request that only reads, or sends nothing', async () => {
		const { body } = await owner.call('POST', '/playground/send', { request: 'phones', body: {} });
		expect(Object.keys(body)).not.toContain('history_id');
	});

	it('has the phones in a state, and those with words in their names or those of their people', async () => {
		const id = await sent();
		const failed = tablets(7, 8);
		await server.context.database.write(server.account.id, (db) =>
			db
				.updateTable('deliveries')
				.set({ state: 'failed', last_error: 'Gone' })
				.where('device_id', 'in', db.selectFrom('devices').select('id').where('name', 'in', failed))
				.where(
					'message_id',
					'in',
					db.selectFrom('messages').select('id').where('history_id', '=', id),
				)
				.execute(),
		);
		expect((await detail(id, 'state=failed')).sort()).toEqual(failed);
		expect(await detail(id, 'state=received')).toEqual([]);
		expect((await detail(id, 'search=anna')).sort()).toEqual(tablets(16, PHONES).sort());
		expect(await detail(id, 'search=olga%20tablet%207&state=failed')).toEqual(['Tablet 7']);
		expect((await owner.call('GET', `/history/${id}?state=sent`)).status).toBe(400);
	});

	it('has a failure on an older update of a Live Activity, however many followed', async () => {
		const put = (percentage: number) =>
			server.call('PUT', '/live-activity/stream/deploy', {
				content_state: { type: 'progress', title: 'Deploy', percentage },
				channels: ['one'],
			});
		await server.addChannel('one', { devices: [server.phone.id] });
		await put(0);
		const { body } = await owner.call('GET', '/history?kind=activity');
		const { id } = body['entries'][0];
		await server.context.database.write(server.account.id, (db) =>
			db
				.updateTable('deliveries')
				.set({ state: 'failed', last_error: 'Gone' })
				.where(
					'message_id',
					'in',
					db.selectFrom('messages').select('id').where('history_id', '=', id),
				)
				.execute(),
		);
		for (let update = 1; update <= 104; update += 1) {
			if (update % 5 === 0) server.clock.advance(61);
			await put(update % 100);
		}
		const { lifecycle } = (await owner.call('GET', `/history/${id}?state=failed`))
			.body as unknown as EntryDetail;
		expect(lifecycle.map(({ deliveries }) => deliveries.length)).toEqual([1]);
	});
});
