import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MEMBER_CALLS } from '../../src/contract/console/calls.ts';
import { PAIRED_CALLS } from '../../src/contract/device-calls.ts';
import { callConsole, type Console, PASSWORD, signedIn } from '../console/support/console.ts';
import type { Method, TestPhone } from '../support/server.ts';
import { ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts with tokens, ids and cursors that are those of another, or are written in another way. */

let team: Team;
let theirs: Console;
beforeAll(async () => {
	team = await startTeam();
	const keys = team.server.context.database.read.selectFrom('api_keys').select('account_id');
	const { account_id: id } = await keys
		.where('last_four', '=', team.strangersKey.slice(-4))
		.executeTakeFirstOrThrow();
	theirs = await signedIn(team.server, { account: id, name: 'Theirs' });
});
afterAll(() => team.server.close());

const letAttemptsPass = () => team.server.clock.advance(15 * 60);
const post = (path: string, body: object, key?: string) =>
	done(team.server.call('POST', path, body, key === undefined ? {} : { key }));
const newest = async (phone: TestPhone) => (await phone.inbox()).at(-1);

async function addPerson(name: string, account = team.olga): Promise<string> {
	await done(account.call('POST', '/users', { name }));
	const names = (await account.call('GET', '/user-names')).body as unknown as any[];
	return names.find((one) => one.name === name).id;
}
const pair = (user: string) => {
	letAttemptsPass();
	return team.server.pairPhone({ user, name: team.unique('Phone') });
};

/** What no attempt may change. */
async function everything(): Promise<string> {
	const { read: db } = team.server.context.database;
	const rows = await Promise.all(
		(
			[
				'members',
				'users',
				'devices',
				'channels',
				'channel_users',
				'channel_devices',
				'api_keys',
				'join_links',
				'questions',
				'metrics',
				'streams',
			] as const
		).map((table) => db.selectFrom(table).selectAll().execute()),
	);
	const withoutTimes = (row: object) =>
		JSON.stringify(row, (name, value: unknown) =>
			/(accepted|refused|login|last_used)_at$/.test(name) ? undefined : value,
		);
	// PostgreSQL lists a row that was written last, as the use of a key is.
	return JSON.stringify(rows.map((table) => table.map(withoutTimes).sort()));
}

const changes = Object.keys(MEMBER_CALLS).filter((name) => !/^GET|logout|\/sessions/.test(name));
const toPath = (name: string) => `${name.split(' ')[1]}`.replaceAll(/:\w+/g, 'x');

describe('a page of somebody else acts for who is signed in', () => {
	it.each(['x-http-method-override', 'x-method-override', 'x-http-method'])(
		'by %s',
		async (header) => {
			const before = await everything();
			for (const method of ['GET', 'POST'] as const)
				await callConsole(team.server, method, `/members/${team.max.memberId}`, undefined, {
					cookie: team.olga.cookie,
					csrf: team.olga.csrf,
					[header]: 'DELETE',
				});
			expect(await everything()).toBe(before);
		},
	);

	it.each<[string, Record<string, string | null>, string]>([
		['in the address', { csrf: null }, '?x-csrf-token=TOKEN&csrf_token=TOKEN&csrf=TOKEN'],
		['twice', { csrf: 'TOKEN, TOKEN' }, ''],
		['in capitals', { csrf: 'CAPITALS' }, ''],
		['that is empty', { csrf: '' }, ''],
		['that is the session', { csrf: 'SESSION' }, ''],
		['of another session of the same member', { csrf: 'OTHER' }, ''],
	])('with a token %s', async (_where, { csrf }, query) => {
		const { olga, server } = team;
		letAttemptsPass();
		const { email } = (await done(olga.call('GET', '/session')))['member'];
		const again = await done(callConsole(server, 'POST', '/login', { email, password: PASSWORD }));
		const fill = (text: string) =>
			text
				.replaceAll('TOKEN', olga.csrf)
				.replace('CAPITALS', olga.csrf.toUpperCase())
				.replace('SESSION', olga.cookie.split('=')[1]!)
				.replace('OTHER', again['csrf_token']);
		for (const name of changes) {
			const options = {
				cookie: olga.cookie,
				csrf: csrf === null || csrf === undefined ? null : fill(csrf),
			};
			const path = `${toPath(name)}${fill(query)}`;
			const { status } = await callConsole(server, name.split(' ')[0] as Method, path, {}, options);
			expect([name, status]).toEqual([name, 403]);
		}
	});

	it.each([
		'text/plain',
		'application/x-www-form-urlencoded',
		'multipart/form-data; boundary=x',
		'application/json; charset=utf-16',
	])('by a form, as %s', async (type) => {
		const before = await everything();
		const options = { cookie: team.olga.cookie, 'content-type': type };
		const { status } = await callConsole(
			team.server,
			'POST',
			'/users',
			{ name: 'Formed' },
			options,
		);
		expect(status).toBe(403);
		expect(await everything()).toBe(before);
	});
});

describe('a secret of one kind is taken for another', () => {
	it('in every call of the console, the phones and the API', async () => {
		const { olga, server, ada } = team;
		const session = olga.cookie.split('=')[1]!;
		const { body } = await olga.call('POST', '/devices/pair-code', { user: 'Ada' });
		const invitation = (await done(olga.call('POST', '/invitations', { role: 'owner' })))['token'];
		const token = await phoneToken();
		const secrets = [
			session,
			olga.csrf,
			body['code'],
			invitation,
			token,
			server.account.key,
			team.ops,
		];
		for (const secret of secrets) {
			for (const cookie of [
				`beckon_session=${secret === session ? olga.csrf : secret}`,
				`beckon_browser=${session}`,
			])
				expect((await callConsole(server, 'GET', '/session', undefined, { cookie })).status).toBe(
					401,
				);
			const own = [server.account.key, team.ops].includes(secret);
			const asKey = await server.call('GET', '/channels', undefined, { key: secret });
			expect([secret, asKey.status]).toEqual([secret, own ? 200 : 401]);
			for (const name of Object.keys(PAIRED_CALLS).filter(() => secret !== token)) {
				const [method, path = ''] = name.split(' ');
				const url = `/device${path.replaceAll(/:\w+/g, '1')}?token=${token}&access_token=${token}`;
				for (const headers of [
					{ authorization: `Bearer ${secret}` },
					{ cookie: `token=${token}` },
				]) {
					const given = await server.app.inject({ method: method as Method, url, headers });
					expect([name, given.statusCode]).toEqual([name, 401]);
				}
			}
		}
		expect((await ada.call('GET', '/snapshot')).status).toBe(200);
	});

	async function phoneToken(): Promise<string> {
		letAttemptsPass();
		const { code } = await done(team.olga.call('POST', '/devices/pair-code', { user: 'Bob' }));
		const payload = { code, name: team.unique('Phone'), platform: 'web' };
		return (await team.server.app.inject({ method: 'POST', url: '/device/pair', payload })).json()
			.token;
	}
});

describe('an id is written so that it is another’s', () => {
	it.each<[string, (id: string) => string]>([
		['with a null', (id) => `${id}%00`],
		['with a slash', (id) => `${id}%2f`],
		['as a pattern', () => '%25'],
		// About one id in 64 ends with an underscore itself.
		['as a pattern of a letter', (id) => `${id.slice(0, -1)}${id.endsWith('_') ? '%25' : '_'}`],
		['in capitals', (id) => id.toUpperCase()],
		['with blanks', (id) => `%20${id}%20`],
		['as a path', (id) => `x%2f..%2f${id}`],
		['with parameters', (id) => `${id};x=1`],
		['as a list', (id) => `${id},${id}`],
		['as what every object has', () => '__proto__'],
	])('%s', async (_how, write) => {
		const person = await addPerson(team.unique('Target'));
		const device = (await pair('Bob')).id;
		const before = await everything();
		const ids: Record<string, string> = {
			users: person,
			devices: device,
			members: team.max.memberId,
		};
		for (const name of changes.filter((one) => one.includes('/:id'))) {
			const [method, path = ''] = name.split(' ');
			const [, kind = ''] = path.split('/');
			const url = path.replace(':id', write(ids[kind] ?? person));
			const body = method === 'DELETE' ? undefined : { name: 'New', role: 'owner', into: person };
			for (const given of [body, { name: 'New' }, { role: 'owner' }, { into: person }]) {
				const { status } = await team.olga.call(method as Method, url, given);
				expect([url, status >= 400 && status < 500]).toEqual([url, true]);
			}
		}
		expect(await everything()).toBe(before);
	});

	it('of another account, in a body', async () => {
		const foreign = await addPerson(team.unique('Foreign'), theirs);
		const own = await addPerson(team.unique('Own'));
		const before = await everything();
		const { body: names } = await theirs.call('GET', '/user-names');
		const foreignName = (names as unknown as any[]).find(({ id }) => id === foreign).name;
		const { stranger, olga, max } = team;
		for (const by of [olga, max])
			for (const [method, path, body] of [
				['POST', `/users/${own}/merge`, { into: foreign }],
				['POST', `/users/${foreign}/merge`, { into: own }],
				['PUT', '/channels/ops', { devices: [stranger.id] }],
				['PUT', '/channels/ops', { users: ['Ada', foreignName] }],
				['PUT', '/channels/ops', { users: [foreign] }],
				['POST', '/channels', { slug: 'foreign', users: [foreignName] }],
				['POST', '/devices/pair-code', { user: foreignName }],
				['POST', '/devices/pair-code', { user: foreign }],
				['POST', '/keys', { name: 'Foreign', channels: ['of-theirs'] }],
			] as const) {
				if (path === '/keys') await theirs.call('POST', '/channels', { slug: 'of-theirs' });
				const { status } = await by.call(method, path, body);
				expect([path, [400, 403, 404].includes(status)]).toEqual([path, true]);
			}
		await theirs.call('DELETE', '/channels/of-theirs');
		expect(await everything()).toBe(before);
	});
});

describe('a page of a list is asked for by what another has', () => {
	const FORGED = [
		'0',
		'-1',
		'1e3',
		'999999999999999',
		'9'.repeat(40),
		'x',
		'%00',
		"1' or '1'='1",
		'{}',
		'1.x.1',
		'999999999999999.x.999999999999999',
	];

	it('in the console: nothing of theirs, and no failure', async () => {
		const asked = await post('/questions', { ...ASKED, title: 'Secret' }, team.strangersKey);
		const id = String(asked['question_id']);
		const { entries, cursor } = await done(theirs.call('GET', '/history?limit=1'));
		const own = (await done(team.olga.call('GET', '/history?limit=1')))['entries'][0]?.id ?? id;
		const coded = [id, entries[0].id, `[1,"${id}"]`, '[9e15,"z"]', '{"__proto__":1}'].map((text) =>
			Buffer.from(text).toString('base64url'),
		);
		for (const forged of [...FORGED, ...coded, String(cursor), id])
			for (const path of [
				'/history?cursor=',
				'/questions?after=',
				'/questions?status=past&after=',
				`/history/${own}?before=`,
				'/audit?cursor=',
				'/audit?before=',
				'/devices?page=',
				'/users?page=',
				'/live?page=1&streams_page=',
				'/metrics?page=',
			]) {
				const { status, body } = await team.olga.call(
					'GET',
					`${path}${encodeURIComponent(forged)}`,
				);
				expect([path, forged, status < 500]).toEqual([path, forged, true]);
				expect(JSON.stringify(body)).not.toContain('Secret');
			}
		await done(
			team.server.call('DELETE', `/questions/${id}`, undefined, { key: team.strangersKey }),
		);
	});

	it('on a phone: nothing of theirs, and no failure', async () => {
		await post('/push-notification', { title: 'Secret', target: onPhone(team.ada) });
		const { id } = await newest(team.ada);
		for (const forged of [
			...FORGED,
			String(id),
			String(id + 1),
			`0x${id.toString(16)}`,
			`+${id}`,
			`${id}.0`,
			` ${id} `,
		])
			for (const path of [
				'/inbox?after=',
				'/history?before=',
				'/history?limit=1&before=',
				'/deliveries/',
			]) {
				const text = encodeURIComponent(forged);
				const asked = path === '/deliveries/' ? `${path}${text}/message` : `${path}${text}`;
				const { status, body } = await team.bob.call('GET', asked);
				expect([asked, status < 500]).toEqual([asked, true]);
				expect(JSON.stringify(body)).not.toContain('Secret');
			}
	});
});
