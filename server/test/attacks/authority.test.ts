import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Method, TestPhone } from '../support/server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { Console } from '../console/support/console.ts';
import { addMember, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts to act on with what one was a moment ago: in requests that last, at once, and in another order. */

let team: Team;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver();
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const ask = async (more: object = {}) =>
	String(
		(await done(team.server.call('POST', '/questions', { ...ASKED, ...more })))['question_id'],
	);
const read = (id: string) => done(team.server.call('GET', `/questions/${id}`));
const withdraw = (id: string) => done(team.server.call('DELETE', `/questions/${id}`));

const add = (role: 'member' | 'owner') => addMember(team, role);

/** A request whose body arrives only after `change`: it begins with another right than it ends with. */
async function held(
	[method, url, body]: [Method, string, object],
	headers: Record<string, string>,
	change: () => Promise<unknown>,
): Promise<{ status: number; body: any }> {
	const text = JSON.stringify(body);
	let isRead = false;
	const payload = new Readable({
		read() {
			if (isRead) return;
			isRead = true;
			void change().then(() => {
				this.push(text);
				this.push(null);
			});
		},
	});
	const length = String(Buffer.byteLength(text));
	const answer = await team.server.app.inject({
		method,
		url,
		payload,
		headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
	});
	expect(isRead).toBe(true);
	return { status: answer.statusCode, body: answer.json() };
}

const by = ({ cookie, csrf }: Console) => ({ cookie, 'x-csrf-token': csrf });
const api = (path: string) => `/console/api${path}`;

/** What an owner may do, and others may not. */
const OWNERS: Record<string, (eve: Console) => Promise<[Method, string, object]>> = {
	'makes themselves an owner again': async ({ memberId }) => [
		'PUT',
		`/members/${memberId}`,
		{ role: 'owner' },
	],
	'takes the role of the other owner': async () => [
		'PUT',
		`/members/${team.olga.memberId}`,
		{ role: 'member' },
	],
	'removes the other owner': async () => ['DELETE', `/members/${team.olga.memberId}`, {}],
	'makes a key': async () => ['POST', '/keys', { name: 'Mine' }],
	'invites another owner': async () => ['POST', '/invitations', { role: 'owner' }],
	'makes a link to set the password of the other owner': async () => [
		'POST',
		`/members/${team.olga.memberId}/reset-link`,
		{},
	],
	'makes a code for a phone of another person': async () => [
		'POST',
		'/devices/pair-code',
		{ user: 'Ada' },
	],
	'merges two people': async () => [
		'POST',
		`/users/${await team.idOf('Bob')}/merge`,
		{ into: await team.idOf('Ada') },
	],
	'names a person as another': async () => [
		'PUT',
		`/users/${await team.idOf('Bob')}`,
		{ name: 'Boss' },
	],
};

/** What every member may do. */
const MEMBERS: Record<string, () => Promise<[Method, string, object]>> = {
	'sends a push to all': async () => [
		'POST',
		'/playground/send',
		{ request: 'push', body: { title: 'Secret' } },
	],
	'answers a question': async () => ['POST', `/questions/${await ask()}/answer`, { choice: 'yes' }],
	'puts themselves into a channel': async () => ['PUT', '/channels/ops', { users: ['Bob'] }],
	'takes a phone from its owner': async () => ['PUT', `/devices/${team.ada.id}`, { name: 'Mine' }],
	'adds a person': async () => ['POST', '/users', { name: 'Late' }],
};

/** What no attempt may change. */
async function state() {
	const { read } = team.server.context.database;
	const members = read.selectFrom('members').select(['id', 'role']).orderBy('id').execute();
	const links = read.selectFrom('join_links').select('id').orderBy('id').execute();
	const codes = read.selectFrom('pair_codes').select('code_hash').orderBy('code_hash').execute();
	const keys = read.selectFrom('api_keys').select('id').orderBy('id').execute();
	const people = read.selectFrom('users').select(['id', 'name']).orderBy('id').execute();
	const channels = read.selectFrom('channel_users').selectAll().orderBy('user_id').execute();
	const phones = read.selectFrom('devices').select(['id', 'name']).orderBy('id').execute();
	const answers = read
		.selectFrom('questions')
		.select('id')
		.where('status', '=', 'answered')
		.orderBy('id')
		.execute();
	const pushes = read
		.selectFrom('messages')
		.select('id')
		.where('content_json', 'like', '%Secret%')
		.orderBy('id');
	return Promise.all([
		members,
		links,
		codes,
		keys,
		people,
		channels,
		phones,
		answers,
		pushes.execute(),
	]);
}

describe('a former owner', () => {
	it.each(Object.keys(OWNERS))('%s, by a request that began earlier', async (what) => {
		const eve = await add('owner');
		const [method, path, body] = await OWNERS[what]!(eve);
		let before: unknown;
		const { status } = await held([method, api(path), body], by(eve), async () => {
			await done(team.olga.call('PUT', `/members/${eve.memberId}`, { role: 'member' }));
			before = await state();
		});
		expect(await state()).toEqual(before);
		expect(status).toBe(403);
	});
});

describe('a former member', () => {
	it.each(Object.keys(MEMBERS))('%s, by a request that began earlier', async (what) => {
		const eve = await add('member');
		const [method, path, body] = await MEMBERS[what]!();
		let before: unknown;
		const { status } = await held([method, api(path), body], by(eve), async () => {
			await done(team.olga.call('DELETE', `/members/${eve.memberId}`));
			before = await state();
		});
		expect(await state()).toEqual(before);
		expect([401, 403]).toContain(status);
	});

	it('or has ended their session everywhere, changes something by it', async () => {
		const eve = await add('member');
		const again = { name: 'Stolen' };
		const { status } = await held(['PUT', api('/profile'), again], by(eve), async () => {
			await done(eve.call('POST', '/logout'));
		});
		expect(status).toBe(401);
		expect(JSON.stringify((await team.olga.call('GET', '/members')).body)).not.toContain('Stolen');
	});
});

describe('a phone that was unpaired', () => {
	const lose = ({ id }: TestPhone) => done(team.olga.call('DELETE', `/devices/${id}`));

	it('answers, by a request that began earlier', async () => {
		const lost = await team.server.pairPhone({ user: 'Ada', name: 'Lost' });
		const id = await ask({ target: onPhone(lost) });
		const given = { tap_id: '6f1f3c1e-2a56-4b1b-9d0c-0a8d6a3d7b21', choice: 'yes' };
		const url = `/device/questions/${id}/answer`;
		const authorization = `Bearer ${lost.token}`;
		await held(['POST', url, given], { authorization }, () => lose(lost));
		expect(await read(id)).toMatchObject({ status: 'open' });
		await withdraw(id);
	});

	it('approves by a button, by a request that began earlier', async () => {
		const lost = await team.server.pairPhone({ user: 'Ada', name: 'Lost' });
		const actions = [{ title: 'Approve', type: 'webhook', url: receiver.url }];
		await done(
			team.server.call('POST', '/push-notification', {
				title: 'A',
				actions,
				target: onPhone(lost),
			}),
		);
		const delivery_id = (await lost.inbox()).at(-1).id;
		const tap = { tap_id: '6f1f3c1e-2a56-4b1b-9d0c-0a8d6a3d7b22', delivery_id, action: 0 };
		const authorization = `Bearer ${lost.token}`;
		await held(['POST', '/device/taps', tap], { authorization }, () => lose(lost));
		expect(receiver.received).toEqual([]);
	});
});
