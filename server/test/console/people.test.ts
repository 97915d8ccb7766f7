import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsolePerson } from '../../src/contract/console/resources.ts';
import { createSetupLink } from '../../src/service/people/join.ts';
import { runCli } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server, { email: 'olga@example.com' });
});
afterEach(() => server.close());

const get = async (path: string) => (await owner.call('GET', path)).body as any;
const people = async () => (await get('/users')).people as ConsolePerson[];
const personNamed = async (name: string) =>
	(await people()).find((person) => person.name === name)!;
const namesOf = async () => (await people()).map(({ name }) => name).sort();
const add = async (name: string) => {
	await owner.call('POST', '/users', { name });
	return (await personNamed(name)).id;
};

describe('members and people', () => {
	it('makes the first phone that of the person who sets the console up', async () => {
		expect(await people()).toEqual([
			{
				id: expect.any(String),
				name: 'Olga',
				member: 'olga@example.com',
				phones: 1,
				channels: [],
			},
		]);
		expect((await get('/devices')).devices[0].user).toBe('Olga');
		expect((await get('/session')).member.user).toBe('Olga');
	});

	it('names the first person of a new account after its owner', async () => {
		const token = await createSetupLink(server.context, null);
		const { body } = await callConsole(server, 'POST', '/join', {
			token,
			account: 'Bakery',
			name: 'Berta',
			email: 'berta@example.com',
			password: PASSWORD,
		});
		expect(body['member']).toMatchObject({ name: 'Berta', user: 'Berta' });
	});

	it('lets nobody who is invited become a person with a phone by taking their name', async () => {
		await add('Max');
		await server.pairPhone({ user: 'Max', name: 'Max’s phone' });
		const { body: invitation } = await owner.call('POST', '/invitations', { role: 'member' });
		const { status, body } = await callConsole(server, 'POST', '/join', {
			token: invitation['token'],
			name: 'Max',
			email: 'eve@example.com',
			password: PASSWORD,
		});
		expect([status, body['message']]).toEqual([
			409,
			'There is already a person named Max in this account. Use another name, such as one with an initial. If that is you, an owner can merge the two afterward.',
		]);
		expect(await personNamed('Max')).toMatchObject({ member: null, phones: 1 });
	});

	it('gives a member the phone that they had before they could sign in, when an owner says so', async () => {
		const id = await add('Max');
		await server.pairPhone({ user: 'Max', name: 'Max’s phone' });
		const max = await signedIn(server, {
			invitedBy: owner,
			name: 'Max M.',
			email: 'max@example.com',
		});
		const { id: into } = await personNamed('Max M.');
		await owner.call('POST', `/users/${id}/merge`, { into });
		await max.call('PUT', '/profile', { name: 'Max' });
		expect((await max.call('GET', '/session')).body['member'].user).toBe('Max');
		expect(await personNamed('Max')).toMatchObject({ member: 'max@example.com', phones: 1 });
	});

	it('makes the owner whom a setup link admits the person of their name', async () => {
		await add('Max');
		await server.pairPhone({ user: 'Max', name: 'Max’s phone' });
		await callConsole(server, 'POST', '/join', {
			token: await server.setupToken(server.account.id),
			name: 'Max',
			email: 'max@example.com',
			password: PASSWORD,
		});
		expect(await personNamed('Max')).toMatchObject({ member: 'max@example.com', phones: 1 });
	});

	it('pairs with the code of a member who names themselves, and knows the phone by its id', async () => {
		const { body } = await owner.call('POST', '/devices/pair-code', { user: 'Olga' });
		const { body: paired } = await callConsole(server, 'GET', '/session');
		expect(paired['error']).toBe('Not signed in');
		const answer = await server.app.inject({
			method: 'POST',
			url: '/device/pair',
			payload: { code: body['code'], name: 'New', platform: 'web' },
		});
		expect(answer.json().device).toMatchObject({ id: body['device_id'], user: { name: 'Olga' } });
	});
});

describe('a pairing code', () => {
	let max: Console;
	beforeEach(async () => {
		max = await signedIn(server, { invitedBy: owner, email: 'max@example.com' });
		await add('Anna');
	});
	const codeFor = (user: string, by: Console) => by.call('POST', '/devices/pair-code', { user });
	const pairedUser = async (code: string) => {
		const payload = { code, name: 'New', platform: 'web' };
		const answer = await server.app.inject({ method: 'POST', url: '/device/pair', payload });
		return answer.json().device.user.name;
	};

	it.each(['Olga', 'Anna', ' Olga '])('for %j is not made by a member who is not', async (user) => {
		const { status, body } = await codeFor(user, max);
		expect([status, body['error']]).toEqual([403, 'Owners only']);
		expect(body['message']).toBe(
			`user must be yourself: only an owner can create pairing codes for someone else. Ask an owner for a code for ${user.trim()}.`,
		);
		expect((await get('/devices')).devices).toHaveLength(1);
	});

	it.each(['Max', ' Max '])('for themselves is made by every member: %j', async (user) => {
		const { status, body } = await codeFor(user, max);
		expect(status).toBe(200);
		expect(await pairedUser(body['code'])).toBe('Max');
	});

	it('for themselves is made by a member whom somebody has renamed', async () => {
		await owner.call('PUT', `/users/${(await personNamed('Max')).id}`, { name: 'Maximilian' });
		expect((await codeFor('Max', max)).status).toBe(404);
		expect(await pairedUser((await codeFor('Maximilian', max)).body['code'])).toBe('Maximilian');
	});

	it('for anybody is made by owners', async () => {
		for (const user of ['Olga', 'Anna', 'Max'])
			expect(await pairedUser((await codeFor(user, owner)).body['code'])).toBe(user);
	});

	it('for somebody else is not made by a member who is no longer an owner', async () => {
		await owner.call('PUT', `/members/${max.memberId}`, { role: 'owner' });
		expect((await codeFor('Olga', max)).status).toBe(200);
		await owner.call('PUT', `/members/${max.memberId}`, { role: 'member' });
		expect((await codeFor('Olga', max)).status).toBe(403);
	});
});

describe('a person', () => {
	it('is renamed, with the member that they are', async () => {
		const { id } = await personNamed('Olga');
		expect((await owner.call('PUT', `/users/${id}`, { name: 'Olga M.' })).status).toBe(200);
		expect((await get('/session')).member).toMatchObject({ name: 'Olga M.', user: 'Olga M.' });
		expect((await server.phone.snapshot()).device.user.name).toBe('Olga M.');
	});

	it('cannot get a name that another has', async () => {
		const id = await add('Anna');
		const { status, body } = await owner.call('PUT', `/users/${id}`, { name: 'Olga' });
		expect([status, body['error']]).toEqual([409, 'Name in use']);
	});

	it('is joined with another, who gets the phones and channels', async () => {
		const id = await add('O.');
		await server.pairPhone({ user: 'O.', name: 'Tablet' });
		await owner.call('POST', '/channels', { slug: 'ops' });
		await owner.call('POST', '/channels', { slug: 'both' });
		await owner.call('PUT', '/channels/ops', { users: ['O.'] });
		await owner.call('PUT', '/channels/both', { users: ['O.', 'Olga'] });
		const { id: into } = await personNamed('Olga');
		expect((await owner.call('POST', `/users/${id}/merge`, { into })).status).toBe(200);
		expect(await people()).toMatchObject([{ name: 'Olga', phones: 2, channels: ['both', 'ops'] }]);
		expect((await get('/channels')).channels[1]).toMatchObject({ users: ['Olga'], reaches: 2 });
	});

	it('is not joined with somebody else when they sign in, nor with themselves', async () => {
		const id = await add('Anna');
		const { id: olga } = await personNamed('Olga');
		const merge = async (from: string, into: string) =>
			(await owner.call('POST', `/users/${from}/merge`, { into })).status;
		expect(await merge(olga, id)).toBe(409);
		expect(await merge(id, id)).toBe(400);
		expect(await merge(id, 'usr_none')).toBe(404);
		expect(await namesOf()).toEqual(['Anna', 'Olga']);
	});

	it('is removed with their phones, and the history goes on naming these', async () => {
		const id = await add('Anna');
		const phone = await server.pairPhone({ user: 'Anna', name: 'Anna’s phone' });
		await server.call('POST', '/push-notification', { title: 'Hello' });
		expect((await owner.call('DELETE', `/users/${id}`)).status).toBe(200);
		expect((await phone.call('GET', '/inbox')).status).toBe(401);
		expect(await namesOf()).toEqual(['Olga']);
		expect((await get('/devices')).devices).toHaveLength(1);
		const [entry] = (await get('/history')).entries;
		const { lifecycle } = await get(`/history/${entry.id}`);
		expect(lifecycle[0].deliveries.map(({ device }: { device: string }) => device).sort()).toEqual([
			'Anna’s phone',
			'Phone',
		]);
		expect((await owner.call('POST', '/users', { name: 'Anna' })).status).toBe(200);
		expect(await personNamed('Anna')).toMatchObject({ phones: 0 });
	});

	it('stays while they sign in', async () => {
		const { id } = await personNamed('Olga');
		const { status, body } = await owner.call('DELETE', `/users/${id}`);
		expect([status, body['message']]).toEqual([
			409,
			'Olga signs in to this console. Remove the member first.',
		]);
	});

	it('is removed by an operator together with their access', async () => {
		const member = await signedIn(server, { invitedBy: owner });
		const { account, store } = server;
		const of = ['--account', account.id, '--data', store.directory];
		expect(await runCli(['user', 'remove', '--name', 'Max', ...of])).toMatchObject({ code: 0 });
		expect(await namesOf()).toEqual(['Olga']);
		expect((await member.call('GET', '/session')).status).toBe(401);
	});
});

describe('a disconnected phone', () => {
	it('is removed from the lists and channels, and stays in the history', async () => {
		await server.addChannel('ops', { devices: [server.phone.id] });
		await server.call('POST', '/push-notification', { title: 'Hello' });
		const remove = () => owner.call('POST', `/devices/${server.phone.id}/remove`);
		expect((await remove()).status).toBe(409);
		await owner.call('DELETE', `/devices/${server.phone.id}`);
		const badge = async () => (await server.call('POST', '/badge', { badge: 1 })).body;
		expect((await badge())['code']).toBe('badge_device_disconnected');
		expect((await remove()).status).toBe(200);
		expect((await get('/devices')).devices).toEqual([]);
		expect((await get('/channels')).channels[0].devices).toEqual([]);
		const [entry] = (await get('/history')).entries;
		expect((await get(`/history/${entry.id}`)).lifecycle[0].deliveries[0].device).toBe('Phone');
		expect((await badge())['error']).toBe('No recipients');
		expect((await remove()).status).toBe(404);
		const rename = owner.call('PUT', `/devices/${server.phone.id}`, { name: 'Old phone' });
		expect((await rename).status).toBe(404);
	});
});
