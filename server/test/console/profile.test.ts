import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OwnSession } from '../../src/contract/console/members.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

const NEXT = 'nine purple lanterns drift';

let server: TestServer;
let owner: Console;
let max: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
	max = await signedIn(server, { invitedBy: owner, email: 'max@example.com' });
});
afterEach(() => server.close());

const login = (password: string) =>
	callConsole(server, 'POST', '/login', { email: 'max@example.com', password });
const otherSession = async () => {
	const { raw } = await login(PASSWORD);
	const { name, value } = raw.cookies.find((cookie) => cookie.name === 'beckon_session')!;
	return () =>
		callConsole(server, 'GET', '/session', undefined, { cookie: `${name}=${value}` }).then(
			({ status }) => status,
		);
};

describe('every member', () => {
	it('changes their name, which is then their phones’, too', async () => {
		expect((await max.call('PUT', '/profile', { name: 'Maximilian' })).status).toBe(200);
		expect((await max.call('GET', '/session')).body['member']).toMatchObject({
			name: 'Maximilian',
			user: 'Maximilian',
		});
		expect((await max.call('PUT', '/profile', { name: 'Olga' })).status).toBe(409);
	});

	it('changes the address they sign in with, by their password', async () => {
		const change = (email: string, current_password = PASSWORD) =>
			max.call('PUT', '/email', { current_password, email });
		const wrong = await change('new@example.com', 'a guess');
		expect([wrong.status, wrong.body['issues'][0].path]).toEqual([400, 'current_password']);
		const { email: taken } = (await owner.call('GET', '/session')).body['member'];
		expect((await change(taken)).status).toBe(409);
		expect((await login(PASSWORD)).status).toBe(200);
		expect((await change('New@Example.com')).status).toBe(200);
		expect((await login(PASSWORD)).status).toBe(401);
		const signIn = { email: 'new@example.com', password: PASSWORD };
		expect((await callConsole(server, 'POST', '/login', signIn)).status).toBe(200);
		expect((await change('new@example.com')).status).toBe(200);
	});

	it('sees the account’s new name, which an owner gives it', async () => {
		const { name } = await server.addAccount();
		expect((await owner.call('PUT', '/account', { name })).status).toBe(409);
		expect((await owner.call('PUT', '/account', { name: 'The bakery' })).status).toBe(200);
		expect((await max.call('GET', '/session')).body['account']).toMatchObject({
			name: 'The bakery',
		});
	});

	it('changes their password, which ends their other sessions', async () => {
		const other = await otherSession();
		expect(await other()).toBe(200);
		const change = { current_password: PASSWORD, password: NEXT };
		expect((await max.call('PUT', '/password', change)).status).toBe(200);
		expect(await other()).toBe(401);
		expect((await max.call('GET', '/session')).status).toBe(200);
		expect((await login(PASSWORD)).status).toBe(401);
		expect((await login(NEXT)).status).toBe(200);
	});

	it('is told to sign in again when another session ends the new one at once', async () => {
		const { database } = server.context;
		const write = database.write.bind(database);
		jest.spyOn(database, 'write').mockImplementationOnce(async (account, work) => {
			const opened = await write(account, work);
			await database.write(account, (db) => db.deleteFrom('sessions').execute());
			return opened;
		});
		const { status, body } = await login(PASSWORD);
		expect(status).toBe(401);
		expect(body['message']).toBe('Your session was ended while you signed in. Sign in again.');
	});

	it.each([
		['a wrong current password', { current_password: 'guess', password: NEXT }, 'current_password'],
		['a short one', { current_password: PASSWORD, password: 'short' }, 'password'],
		['an obvious one', { current_password: PASSWORD, password: 'aaaaaaaaaaaa' }, 'password'],
	])('keeps their password after %s', async (_what, change, field) => {
		const { status, body } = await max.call('PUT', '/password', change);
		expect([status, body['issues'][0].path]).toEqual([400, field]);
		expect((await login(PASSWORD)).status).toBe(200);
	});

	it('may try ten times in a quarter of an hour', async () => {
		leaveOutOfPacked('a clock that stands still');
		const change = { current_password: 'x', password: NEXT };
		for (let attempt = 0; attempt < 10; attempt += 1) await max.call('PUT', '/password', change);
		const { status, headers } = await max.call('PUT', '/password', change);
		expect([status, headers['retry-after']]).toEqual([429, '900']);
	});

	it('sees the browser and the address of each session, and ends one of them', async () => {
		server.clock.advance(60);
		const other = await otherSession();
		const third = await otherSession();
		const { body } = await max.call('GET', '/sessions');
		const [{ id, address, browser }] = body as unknown as [OwnSession];
		expect([address, browser]).toEqual(['127.0.0.1', expect.stringMatching(/./)]);
		expect((await owner.call('DELETE', `/sessions/${id}`)).status).toBe(404);
		expect((await max.call('DELETE', `/sessions/${id}`)).status).toBe(200);
		expect([await other(), await third()].sort()).toEqual([200, 401]);
		expect((await max.call('GET', '/session')).status).toBe(200);
		expect((await max.call('DELETE', `/sessions/${id}`)).status).toBe(404);
	});

	it('sees where they are signed in, and ends their other sessions', async () => {
		server.clock.advance(60);
		const other = await otherSession();
		const { body } = await max.call('GET', '/sessions');
		expect(body).toMatchObject([{ current: false }, { current: true }]);
		expect((await max.call('DELETE', '/sessions')).body).toEqual({ ended: 1 });
		expect(await other()).toBe(401);
		expect((await max.call('GET', '/session')).status).toBe(200);
		expect((await owner.call('GET', '/session')).status).toBe(200);
	});
});

describe('a member who forgot the password', () => {
	const reset = (token: string, password = NEXT) =>
		callConsole(server, 'POST', '/reset', { token, password });
	const newLink = async () => {
		const { body } = await owner.call('POST', `/members/${max.memberId}/reset-link`);
		return body['token'] as string;
	};

	it('sets a new one by the link of an owner, once, and is signed in here alone', async () => {
		const token = await newLink();
		expect((await callConsole(server, 'POST', '/link', { token })).body).toEqual({
			purpose: 'reset',
			role: 'member',
			account: 'acme',
			email: 'max@example.com',
		});
		const { status, body } = await reset(token);
		expect([status, body['member']]).toEqual([
			200,
			expect.objectContaining({ email: 'max@example.com', role: 'member' }),
		]);
		expect((await max.call('GET', '/session')).status).toBe(401);
		expect((await login(NEXT)).status).toBe(200);
		expect((await reset(token)).status).toBe(404);
	});

	it('keeps the link after a password that is too easy', async () => {
		const token = await newLink();
		expect((await reset(token, 'max@example.com')).status).toBe(400);
		expect((await reset(token)).status).toBe(200);
	});

	it.each<[string, () => unknown]>([
		['a newer link', () => newLink()],
		['a day', () => server.clock.advance(24 * 3_600 + 1)],
		[
			'another password',
			() => {
				const change = { current_password: PASSWORD, password: 'seven green kettles sing' };
				return max.call('PUT', '/password', change);
			},
		],
		['their removal', () => owner.call('DELETE', `/members/${max.memberId}`)],
	])('cannot use a link after %s', async (_what, happens) => {
		const token = await newLink();
		await happens();
		expect((await reset(token)).status).toBe(404);
	});

	it('cannot use it to join, nor an invitation to set a password', async () => {
		const token = await newLink();
		const person = { name: 'Eve', email: 'eve@example.com', password: NEXT };
		expect((await callConsole(server, 'POST', '/join', { token, ...person })).status).toBe(404);
		const { body } = await owner.call('POST', '/invitations', { role: 'owner' });
		expect((await reset(body['token'])).status).toBe(404);
	});
});
