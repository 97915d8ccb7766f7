import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

/** Names that nobody can tell from “Own Alpha”, though they are other characters. */
const TWINS = [
	'Own Alpha',
	'own alpha',
	'ＯＷＮ Ａｌｐｈａ',
	'𝐎𝐰𝐧 𝐀𝐥𝐩𝐡𝐚',
	'Own  Alpha',
	'Own\u00A0Alpha',
	'Own\u2003Alpha',
	'Own\u2800Alpha',
	'Own\tAlpha',
	'Own \u200B Alpha',
	'Own Alpha\u200B',
	'Own\uFEFF Alpha',
	'O\u00ADwn Alpha',
	'Own Al\u034Fpha',
	'Own Alpha\u0007',
	'Own Alpha\uFE0F',
	'Own Alpha\u{E0041}',
	'\u2062Own Alpha',
	'Own Al\u200Epha',
	'Own AIpha',
	'Own A1pha',
];

/** Words whose letters are of several alphabets that look the same. */
const MIXED = [
	'Own Аlpha',
	'Οwn Alpha',
	'Own Alphа',
	'Максim',
	'Own Al\u200Bрha',
	'Օwn Alpha',
	'Own Ꭺlpha',
	'Own ꓮlpha',
];

const UNSEEN = ['\u200B', '\u2062\u00AD', '\u3164', '\u2800', '\u0007'];

const READABLE = [
	'Олег',
	'Ольга IT-отдел',
	'Αλέξανδρος',
	'علی‌رضا',
	'Zoë Ångström',
	'山田 太郎',
	'Jürgen Weiß',
	'👩‍🔧 Ada',
	'Own Alpha 2',
];

describe('the name of', () => {
	let server: TestServer;
	let owner: Console;
	let member: Console;
	beforeAll(async () => {
		server = await startTestServer();
		owner = await signedIn(server, { name: 'Own Alpha' });
		member = await signedIn(server, { invitedBy: owner });
	});
	afterAll(() => server.close());

	const join = async (name: string, token?: string) => {
		const invite = () => owner.call('POST', '/invitations', { role: 'member' });
		const body = {
			token: token ?? (await invite()).body['token'],
			name,
			email: `${Math.random()}@example.com`,
			password: PASSWORD,
		};
		return callConsole(server, 'POST', '/join', body);
	};
	/** Joining and pairing are limited. */
	const letAttemptsPass = () => server.clock.advance(15 * 60);
	const idOf = async (name: string) => {
		const { body } = await owner.call('GET', '/user-names');
		return (body as unknown as any[]).find((one) => one.name === name).id as string;
	};
	/** All ways in which a person gets a name. */
	const WAYS: Record<string, (name: string) => Promise<{ status: number; body: any }>> = {
		'a person who is added': (name) => owner.call('POST', '/users', { name }),
		'a person who is renamed': async (name) =>
			owner.call('PUT', `/users/${await idOf('Max')}`, { name }),
		'a member who renames themselves': (name) => member.call('PUT', '/profile', { name }),
		'somebody who is invited': (name) => join(name),
	};
	/** All ways in which a phone gets one. */
	const PHONES: typeof WAYS = {
		'a phone that is paired': async (name) => {
			const { body } = await owner.call('POST', '/devices/pair-code', { user: 'Own Alpha' });
			const payload = { code: body['code'], name, platform: 'web' };
			const answer = await server.app.inject({ method: 'POST', url: '/device/pair', payload });
			return { status: answer.statusCode, body: answer.json() };
		},
		'a phone that is renamed': (name) => owner.call('PUT', `/devices/${server.phone.id}`, { name }),
	};

	it.each(Object.entries(WAYS))('%s is not that of another in disguise', async (_who, give) => {
		for (const name of TWINS) {
			letAttemptsPass();
			const { status, body } = await give(name);
			expect({ name, status, message: body['message'] }).toEqual({
				name,
				status: 409,
				message: expect.stringContaining('Own Alpha'),
			});
		}
	});

	it.each(Object.entries({ ...WAYS, ...PHONES }))('%s can be read', async (_who, give) => {
		for (const name of [...MIXED, ...UNSEEN]) {
			letAttemptsPass();
			const { status, body } = await give(name);
			expect({ name, status, message: body['message'] }).toEqual({
				name,
				status: 400,
				message: expect.stringMatching(
					/^name (mixes letters of several alphabets in “|must contain visible characters)/,
				),
			});
		}
	});

	it('a person or a phone may be of any language', async () => {
		for (const name of READABLE) {
			expect([name, (await owner.call('POST', '/users', { name })).status]).toEqual([name, 200]);
			expect([name, (await PHONES['a phone that is renamed']!(name)).status]).toEqual([name, 200]);
		}
	});

	it('somebody who joins by a setup link is not almost that of another', async () => {
		letAttemptsPass();
		const token = await server.setupToken(server.account.id);
		expect((await join('own alpha', token)).status).toBe(409);
	});

	it('a person stays, and may change in case', async () => {
		expect((await owner.call('PUT', '/profile', { name: 'OWN alpha' })).status).toBe(200);
		expect((await owner.call('PUT', '/profile', { name: 'Own Alpha' })).status).toBe(200);
	});
});

describe('names from before there was a rule', () => {
	it('stay, and may be sent again', async () => {
		leaveOutOfPacked('the store');
		const server = await startTestServer();
		const owner = await signedIn(server, { name: 'Ada' });
		await owner.call('POST', '/users', { name: 'Bob' });
		const users = (await owner.call('GET', '/user-names')).body as unknown as any[];
		const { id } = users.find(({ name }) => name === 'Bob');
		await server.context.database.write(server.account.id, (db) =>
			db.updateTable('users').set({ name: 'Аdа' }).where('id', '=', id).execute(),
		);
		expect((await owner.call('PUT', `/users/${id}`, { name: 'Аdа' })).status).toBe(200);
		expect((await owner.call('PUT', '/profile', { name: 'Ada' })).status).toBe(200);
		await server.close();
	});
});
