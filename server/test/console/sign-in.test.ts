import { lookup } from 'node:dns/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { firstSetupLink } from '../../src/service/people/join.ts';
import { Passwords } from '../../src/service/people/passwords.ts';
import { deleteMember, memberByEmail, updateMember } from '../../src/store/people/members.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { callConsole, PASSWORD, signedIn } from './support/console.ts';

let server: TestServer;
beforeEach(async () => {
	server = await startTestServer();
});
afterEach(() => server.close());

const person = { name: 'Olga', email: 'olga@example.com', password: PASSWORD };
const login = (email: string, password: string, from = '127.0.0.1') =>
	server.app.inject({
		method: 'POST',
		url: '/console/api/login',
		remoteAddress: from,
		payload: { email, password },
	});

describe('signing in', () => {
	it('takes the email address in any case, and the password exactly', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		expect((await login('OLGA@Example.com', PASSWORD)).statusCode).toBe(200);
		expect((await login('olga@example.com', PASSWORD.toUpperCase())).statusCode).toBe(401);
	});

	it('answers a wrong password and an unknown address alike', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		const wrong = await login('olga@example.com', 'wrong');
		const unknown = await login('nobody@example.com', 'wrong');
		expect([wrong.statusCode, wrong.json()]).toEqual([unknown.statusCode, unknown.json()]);
		expect(wrong.json().message).toBe('The email address or the password is wrong.');
	});

	it.each([
		['is removed', (id: string) => deleteMember(server.context.database.read, id)],
		[
			'gets another password',
			(id: string) => updateMember(server.context.database.read, id, { password_hash: 'other' }),
		],
	])('fails where the member %s while the password is checked', async (_what, change) => {
		await signedIn(server, { email: 'olga@example.com' });
		const { database } = server.context;
		const member = await memberByEmail(database.read, 'olga@example.com');
		const write = database.write.bind(database);
		// The first write is the session.
		jest.spyOn(database, 'write').mockImplementationOnce(async (account, job) => {
			await change(member!.id);
			return write(account, job);
		});
		const { statusCode, json } = await login('olga@example.com', PASSWORD);
		expect(statusCode).toBe(401);
		expect(json().message).toBe('The email address or the password is wrong.');
	});

	it('is limited for each email address by client address', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		for (let attempt = 0; attempt < 10; attempt += 1)
			expect((await login('olga@example.com', 'x', '10.0.0.1')).statusCode).toBe(401);
		const limited = await login('olga@example.com', 'x', '10.0.0.1');
		expect(limited.statusCode).toBe(429);
		expect(limited.headers['retry-after']).toBe(String(15 * 60));
		expect(limited.json().message).toBe('Too many attempts. Try again in 15 minutes.');
		server.clock.advance(14 * 60);
		expect((await login('olga@example.com', 'x', '10.0.0.1')).json().message).toBe(
			'Too many attempts. Try again in a minute.',
		);
		server.clock.advance(-14 * 60);
		expect((await login('b@example.com', 'x', '10.0.0.1')).statusCode).toBe(401);
		expect((await login('olga@example.com', PASSWORD, '10.0.0.2')).statusCode).toBe(200);
		server.clock.advance(15 * 60);
		expect((await login('olga@example.com', 'x', '10.0.0.1')).statusCode).toBe(401);
	});

	it('counts only what fails against an email address', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		await fail('olga@example.com 10.0.0.1', 9);
		for (let attempt = 0; attempt < 3; attempt += 1)
			expect((await login('olga@example.com', PASSWORD, '10.0.0.1')).statusCode).toBe(200);
		expect((await login('olga@example.com', 'x', '10.0.0.1')).statusCode).toBe(401);
		expect((await login('olga@example.com', PASSWORD, '10.0.0.1')).statusCode).toBe(429);
	});

	it('is limited for an email address from all client addresses together, but slowly', async () => {
		await fail('olga@example.com', 99, 60);
		expect((await login('olga@example.com', 'x', '10.9.9.8')).statusCode).toBe(401);
		const limited = await login('olga@example.com', 'x', '10.9.9.9');
		expect(limited.statusCode).toBe(429);
		expect(limited.headers['retry-after']).toBe(String(60 * 60));
	});

	/** Records this many failed attempts directly: each real one would take a third of a second. */
	async function fail(who: string, times: number, minutes = 15): Promise<void> {
		const limit = { key: `sign-in ${who}`, quota: times };
		for (let failure = 0; failure < times; failure += 1)
			await server.context.database.rateWindows.consume(
				[limit],
				minutes * 60_000,
				server.clock.now,
			);
	}

	describe('with a browser that signed in before', () => {
		const cookiesOf = async (email = 'olga@example.com') =>
			Object.fromEntries(
				(await login(email, PASSWORD, '10.1.0.1')).cookies.map(({ name, value }) => [name, value]),
			);
		const loginWith = (browser: string, password: string, email = 'olga@example.com') =>
			server.app.inject({
				method: 'POST',
				url: '/console/api/login',
				cookies: { beckon_browser: browser },
				payload: { email, password },
			});
		beforeEach(async () => {
			await signedIn(server, { email: 'olga@example.com' });
		});

		it('is possible whatever others try, from the same address too', async () => {
			const { beckon_browser: browser = '' } = await cookiesOf();
			await fail('olga@example.com 127.0.0.1', 10);
			await fail('olga@example.com', 100, 60);
			for (let attempt = 0; attempt < 30; attempt += 1)
				await callConsole(server, 'POST', '/link', { token: `guess-${attempt}` });
			expect((await login('olga@example.com', PASSWORD)).statusCode).toBe(429);
			expect((await loginWith(browser, PASSWORD)).statusCode).toBe(200);
		});

		it('is limited by the failures of that browser', async () => {
			const { beckon_browser: browser = '' } = await cookiesOf();
			await fail(`browser ${browser.split('.')[0]}`, 9);
			expect((await loginWith(browser, 'x')).statusCode).toBe(401);
			expect((await loginWith(browser, PASSWORD)).statusCode).toBe(429);
			expect((await login('olga@example.com', PASSWORD)).statusCode).toBe(200);
		});

		it('takes no cookie that was made up, or that is of somebody else', async () => {
			await signedIn(server, { email: 'eve@example.com', name: 'Eve' });
			const { beckon_browser: eves = '' } = await cookiesOf('eve@example.com');
			await fail('olga@example.com', 100, 60);
			for (const made of [eves, 'x', 'x.y', '.', `${eves.split('.')[0]}.`])
				expect((await loginWith(made, PASSWORD)).statusCode).toBe(429);
			expect((await loginWith(eves, PASSWORD, 'eve@example.com')).statusCode).toBe(200);
		});

		it('needs the password all the same', async () => {
			const { beckon_browser: browser = '' } = await cookiesOf();
			expect((await loginWith(browser, 'x')).statusCode).toBe(401);
			const { statusCode } = await server.app.inject({
				url: '/console/api/session',
				cookies: { beckon_browser: browser },
			});
			expect(statusCode).toBe(401);
		});
	});

	it('is limited for each client address, whatever is tried', async () => {
		for (let attempt = 0; attempt < 30; attempt += 1)
			await callConsole(server, 'POST', '/link', { token: `guess-${attempt}` });
		expect((await callConsole(server, 'POST', '/link', { token: 'guess' })).status).toBe(429);
		expect((await login('a@example.com', 'x')).statusCode).toBe(429);
	});

	it('sets a cookie that no script can read, for the console alone', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		const [cookie] = (await login('olga@example.com', PASSWORD)).cookies;
		expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' });
		expect(cookie).not.toHaveProperty('secure');
	});
});

describe('hashes of the real cost', () => {
	beforeEach(async () => {
		await server.close();
		server = await startTestServer({ passwords: new Passwords() });
	});

	it('hashes few passwords at a time, and refuses the rest at once with 429', async () => {
		await signedIn(server, { email: 'olga@example.com' });
		const {
			cookies: [, { value: browser } = { value: '' }],
		} = await login('olga@example.com', PASSWORD);
		let answered = 0;
		const flood = Array.from({ length: 40 }, async (_, n) => {
			const answer = await login(`nobody-${n}@example.com`, 'x', `10.2.${n}.1`);
			answered += 1;
			return answer;
		});
		const refused = await Promise.race(flood);
		expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3']);
		// Names are resolved on the same threads, and a known browser does not wait for strangers.
		await lookup('localhost');
		const known = await server.app.inject({
			method: 'POST',
			url: '/console/api/login',
			cookies: { beckon_browser: browser },
			payload: { email: 'olga@example.com', password: PASSWORD },
		});
		expect(known.statusCode).toBe(200);
		expect(answered).toBeLessThan(flood.length);
		const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode);
		expect(statuses.filter((status) => status === 401)).toHaveLength(9);
		expect(statuses.filter((status) => status === 429)).toHaveLength(31);
	});

	it('keeps a password and a session only as hashes', async () => {
		const { cookie } = await signedIn(server);
		const rows = JSON.stringify([
			await server.context.database.read.selectFrom('members').selectAll().execute(),
			await server.context.database.read.selectFrom('sessions').selectAll().execute(),
		]);
		expect(rows).not.toContain(PASSWORD);
		expect(rows).not.toContain(cookie.split('=')[1]);
		expect(rows).toMatch(/scrypt\$32768\$8\$3\$/);
	});
});

describe('behind TLS', () => {
	it('the cookie travels over TLS alone', async () => {
		const secure = await startTestServer({
			settings: { BECKON_PUBLIC_URL: 'https://beckon.example.com' },
		});
		try {
			const token = await firstSetupLink(secure.context);
			const { raw } = await callConsole(secure, 'POST', '/join', { token, ...person });
			expect(raw.cookies[0]).toMatchObject({ secure: true });
		} finally {
			await secure.close();
		}
	});
});

describe('a session', () => {
	it('ends by signing out', async () => {
		const owner = await signedIn(server);
		expect((await owner.call('POST', '/logout')).status).toBe(200);
		expect((await owner.call('GET', '/session')).status).toBe(401);
	});

	it('ends when it was not used for a week', async () => {
		const owner = await signedIn(server);
		server.clock.advance(6 * 86_400);
		expect((await owner.call('GET', '/session')).status).toBe(200);
		server.clock.advance(7 * 86_400);
		expect((await owner.call('GET', '/session')).status).toBe(401);
	});

	it('ends after thirty days, however much it is used', async () => {
		const owner = await signedIn(server);
		for (let day = 0; day < 30; day += 5) {
			expect((await owner.call('GET', '/session')).status).toBe(200);
			// The answer does not wait for this write.
			await waitFor('the use to be stored', async () => {
				const sessions = server.context.database.read.selectFrom('sessions');
				const { last_used_at } = await sessions.select('last_used_at').executeTakeFirstOrThrow();
				return last_used_at === server.context.now();
			});
			server.clock.advance(5 * 86_400);
		}
		expect((await owner.call('GET', '/session')).status).toBe(401);
	});

	it('changes nothing without its CSRF token', async () => {
		const owner = await signedIn(server);
		for (const csrf of [null, 'guess']) {
			const { status } = await owner.call('POST', '/channels', { slug: 'ops' }, { csrf });
			expect(status).toBe(403);
		}
		expect((await owner.call('GET', '/channels')).body['channels']).toEqual([]);
	});

	it.each(['cross-site', 'same-site'])(
		'takes nothing that a browser sends for a %s page',
		async (site) => {
			const answer = await server.app.inject({
				method: 'POST',
				url: '/console/api/login',
				headers: { 'sec-fetch-site': site },
				payload: { email: 'a@example.com', password: PASSWORD },
			});
			expect(answer.statusCode).toBe(403);
		},
	);
});
