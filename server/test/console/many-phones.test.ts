import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPairCode, pair } from '../../src/service/phones/pairing.ts';
import { SUBSCRIPTION } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
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
		await server.context.lastUsed.settle();
		expect((await list('sort=last_seen')).names[0]).toBe('Phone');
	});

	it('refuses an order that it does not know, and says which there are', async () => {
		const { status, body } = await owner.call('GET', '/devices?sort=size');
		expect(status).toBe(400);
		expect(body.message).toContain('paired, name, user, last_seen');
	});
});
