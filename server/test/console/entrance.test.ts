import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSetupLink, firstSetupLink, inviteMember } from '../../src/service/people/join.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, cookieOf, PASSWORD, signedIn } from './support/console.ts';

let server: TestServer;
beforeEach(async () => {
	server = await startTestServer();
});
afterEach(() => server.close());

const person = { name: 'Olga', email: 'olga@example.com', password: PASSWORD };
const join = (body: object) => callConsole(server, 'POST', '/join', body);
const login = (email: string, password: string, from = '127.0.0.1') =>
	server.app.inject({
		method: 'POST',
		url: '/console/api/login',
		remoteAddress: from,
		payload: { email, password },
	});

describe('the first visit', () => {
	it('is by the setup link that the server prints, and signs its owner in', async () => {
		const token = await firstSetupLink(server.context);
		const { status, body, raw } = await join({ token, ...person });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			member: { name: 'Olga', email: 'olga@example.com', role: 'owner' },
			account: { name: 'acme' },
		});
		expect(
			(await callConsole(server, 'GET', '/session', undefined, { cookie: cookieOf(raw) })).status,
		).toBe(200);
	});

	it('says what a link is for, before it is used', async () => {
		const token = await firstSetupLink(server.context);
		expect((await callConsole(server, 'POST', '/link', { token })).body).toEqual({
			purpose: 'setup',
			role: 'owner',
			account: 'acme',
			email: 'owner@example.com',
		});
	});

	it('creates the account where there is none', async () => {
		const token = await createSetupLink(server.context, null);
		const { body } = await join({ token, account: 'Bakery', ...person });
		expect(body['account'].name).toBe('Bakery');
	});

	it('is impossible without a link, with a wrong one, and with one that was used', async () => {
		expect((await join(person)).status).toBe(400);
		expect((await join({ token: 'guess', ...person })).status).toBe(404);
		const token = await firstSetupLink(server.context);
		await join({ token, ...person });
		expect((await join({ token, ...person, email: 'eve@example.com' })).status).toBe(404);
	});

	it('refuses a link after a day, and one that a newer has replaced', async () => {
		const old = await firstSetupLink(server.context);
		server.clock.advance(60);
		await firstSetupLink(server.context);
		expect((await join({ token: old, ...person })).status).toBe(404);
		const late = await firstSetupLink(server.context);
		server.clock.advance(24 * 3_600 + 1);
		expect((await join({ token: late, ...person })).status).toBe(404);
	});

	it('is by any link of the servers that start together, until the first is used', async () => {
		const [first, second, third] = [
			await firstSetupLink(server.context),
			await firstSetupLink(server.context),
			await firstSetupLink(server.context),
		];
		expect((await join({ token: second, ...person })).status).toBe(200);
		for (const token of [first, third])
			expect((await join({ token, ...person, email: 'eve@example.com' })).status).toBe(404);
	});

	it('is over once somebody owns the account', async () => {
		await signedIn(server);
		expect(await firstSetupLink(server.context)).toBeUndefined();
	});

	it('asks for a password of at least 12 characters', async () => {
		const token = await firstSetupLink(server.context);
		const { status, body } = await join({ token, ...person, password: 'short' });
		expect(status).toBe(400);
		expect(body['message']).toBe('password must be 12 to 256 characters long.');
	});

	it.each([
		['one character again and again', 'aaaaaaaaaaaa'],
		['a few characters in turns', 'abcxabcxabcxabcx'],
		['a run of digits', '123456789012'],
		['a row of the keyboard', 'qwertyuiop12'],
		['a common password, padded', 'Password1234!'],
		['the name of the product', 'Beckon-2026-!'],
		['the email address', 'olga@example.com'],
		['the name', 'olga olga Olga 1'],
		['digits that look different', '１２３４５６７８９０１２'],
	])('refuses an obvious password: %s', async (_what, password) => {
		const token = await firstSetupLink(server.context);
		const { status, body } = await join({ token, ...person, password });
		expect(status).toBe(400);
		expect(body['message']).toMatch(/^password is too easy to guess: use several unrelated words/);
		expect(body['issues']).toMatchObject([{ path: 'password' }]);
		expect((await join({ token, ...person })).status).toBe(200);
	});

	it.each(['correct horse battery staple', 'kT7#vq2Lw9!z', 'Übergroße Hähne krähen'])(
		'takes a password that is long and unrelated: %s',
		async (password) => {
			const token = await firstSetupLink(server.context);
			expect((await join({ token, ...person, password })).status).toBe(200);
		},
	);

	it('sets the password of somebody who forgot it, and ends their sessions', async () => {
		const before = await signedIn(server, { email: 'olga@example.com' });
		const account = (
			await server.context.database.read.selectFrom('accounts').selectAll().execute()
		)[0]!;
		const token = await createSetupLink(server.context, account);
		expect((await join({ token, ...person, password: 'another long password' })).status).toBe(200);
		expect((await before.call('GET', '/session')).status).toBe(401);
		expect((await login('olga@example.com', 'another long password')).statusCode).toBe(200);
	});

	it('refuses a second person of the same name, and keeps the link', async () => {
		await signedIn(server);
		const token = await inviteMember(server.context, server.account.id, { role: 'member' });
		const { status, body } = await join({ token, ...person });
		expect([status, body['error']]).toEqual([409, 'Name in use']);
		expect((await join({ token, ...person, name: 'Olga B.' })).status).toBe(200);
	});

	it('keeps an address that belongs to somebody else', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		const other = await server.addAccount();
		const token = await inviteMember(server.context, other.id, { role: 'owner' });
		expect((await join({ token, ...person })).status).toBe(409);
	});
});
