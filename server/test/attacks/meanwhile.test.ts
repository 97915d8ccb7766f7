import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { callConsole, type Console, PASSWORD } from '../console/support/console.ts';
import { addMember, answerOn, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts between two steps of one request, or of one plan: something is lost meanwhile. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => team.server.close());

const NEW = 'another correct horse battery';
const STOLEN = 'the staple of a battery thief';

describe('who knows the old password', () => {
	const enter = async (email: string, password: string) => {
		team.server.clock.advance(15 * 60);
		return (await callConsole(team.server, 'POST', '/login', { email, password })).status;
	};
	const emailOf = async (eve: Console) =>
		(await done(eve.call('GET', '/session')))['member'].email as string;

	/** What they try; the password is checked, or hashed, when it is reset. */
	const TRIES: Record<string, ['matches' | 'hash', string, object]> = {
		'sets another, after it was checked': [
			'matches',
			'/password',
			{ current_password: PASSWORD, password: STOLEN },
		],
		'sets another, while that is hashed': [
			'hash',
			'/password',
			{ current_password: PASSWORD, password: STOLEN },
		],
		'takes the address that signs in': [
			'matches',
			'/email',
			{ current_password: PASSWORD, email: 'thief@example.com' },
		],
	};

	it.each(Object.keys(TRIES))('%s, though it is reset meanwhile', async (what) => {
		const eve = await addMember(team, 'member');
		const email = await emailOf(eve);
		const { token } = await done(team.olga.call('POST', `/members/${eve.memberId}/reset-link`));
		const [step, path, body] = TRIES[what]!;
		const { passwords } = team.server.context;
		const original = passwords[step].bind(passwords) as (...given: unknown[]) => Promise<never>;
		jest.spyOn(passwords, step).mockImplementationOnce(async (...given: unknown[]) => {
			const result = await original(...given);
			await done(callConsole(team.server, 'POST', '/reset', { token, password: NEW }));
			return result;
		});
		expect((await eve.call('PUT', path, body)).status).toBeGreaterThanOrEqual(400);
		expect(await enter(email, NEW)).toBe(200);
		expect(await enter(email, STOLEN)).toBe(401);
		expect(await enter('thief@example.com', NEW)).toBe(401);
	});

	it('signs in, though it is reset meanwhile', async () => {
		const eve = await addMember(team, 'member');
		const email = await emailOf(eve);
		const { token } = await done(team.olga.call('POST', `/members/${eve.memberId}/reset-link`));
		const { passwords } = team.server.context;
		const matches = passwords.matches.bind(passwords);
		jest.spyOn(passwords, 'matches').mockImplementationOnce(async (...given) => {
			const isRight = await matches(...given);
			await done(callConsole(team.server, 'POST', '/reset', { token, password: NEW }));
			return isRight;
		});
		expect(await enter(email, PASSWORD)).toBe(401);
	});
});

describe('a key whose channel has nobody any more reaches everybody', () => {
	it.each<[string, 'POST' | 'PUT', string, object]>([
		['by a push', 'POST', '/push-notification', { title: 'Lost' }],
		['by a question', 'POST', '/questions', { ...ASKED, title: 'Lost' }],
		['by a badge', 'POST', '/badge', { badge: 9 }],
		[
			'by a stream',
			'PUT',
			'/live-activity/stream/lost',
			{ content_state: { type: 'alert', title: 'Lost', message: 'M' } },
		],
		[
			'by a Live Activity',
			'POST',
			'/live-activity/start',
			{ content_state: { type: 'alert', title: 'Lost', message: 'M' } },
		],
		[
			'by a repeat',
			'POST',
			'/push-notification/repeated',
			{ push: { title: 'Lost' }, repeat: { every_minutes: 1, times: 1 } },
		],
		[
			'by naming its channel',
			'POST',
			'/push-notification',
			{ title: 'Lost', target: { channels: ['brief'] } },
		],
	])('%s', async (_how, method, path, body) => {
		const { server, olga, ada, bob, unique, setChannel } = team;
		const brief = unique('brief').replace(' ', '-');
		await server.addChannel(brief, { users: ['Ada'] });
		const key = await server.addKey(server.account.id, [brief]);
		// Without its channel, a key would have none: it stays while the key does.
		expect((await olga.call('DELETE', `/channels/${brief}`)).status).toBe(409);
		await setChannel(brief, []);
		const seen = async () => [await ada.inbox(), await bob.inbox(), await server.phone.inbox()];
		const before = await seen();
		const sent = JSON.parse(JSON.stringify(body).replace('brief', brief)) as object;
		expect((await server.call(method, path, sent, { key })).status).toBeGreaterThanOrEqual(400);
		expect(await seen()).toEqual(before);
		for (const list of ['/phones', '/live-activity/streams', '/triggers', '/questions']) {
			const { body: listed } = await server.call('GET', list, undefined, { key });
			expect([list, Object.values(listed).filter(Array.isArray)]).toEqual([list, [[]]]);
		}
	});
});

describe('between a question and its answer', () => {
	const ask = async (more: object, key?: string) =>
		(
			await done(
				team.server.call(
					'POST',
					'/questions',
					{ ...ASKED, ...more },
					key === undefined ? {} : { key },
				),
			)
		)['question_id'] as string;
	const state = (id: string) => done(team.server.call('GET', `/questions/${id}`));

	it('the channel is deleted, and made anew with others: they do not answer', async () => {
		await team.server.addChannel('anew', { users: ['Ada'] });
		const id = await ask({ target: { channels: ['anew'] } });
		await done(team.olga.call('DELETE', '/channels/anew'));
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		await team.server.addChannel('anew', { users: ['Ada', 'Bob'] });
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect(await state(id)).toMatchObject({ status: 'open' });
		await done(team.olga.call('DELETE', '/channels/anew'));
	});

	it('its key is revoked: no other limited key reads, ends or answers it', async () => {
		const key = await team.server.addKey(team.server.account.id, ['ops']);
		const id = await ask({}, key);
		await team.server.revokeKey(team.server.account.id, key);
		for (const [method, path, body] of [
			['GET', `/questions/${id}`, undefined],
			['DELETE', `/questions/${id}`, undefined],
			['POST', `/questions/${id}/answer`, { fields: {} }],
		] as const)
			expect((await team.server.call(method, path, body, { key: team.ops })).status).toBe(404);
		expect((await team.server.call('GET', `/questions/${id}`, undefined, { key })).status).toBe(
			401,
		);
		await done(team.server.call('DELETE', `/questions/${id}`));
	});

	it('its member leaves: their session answers nothing, and their phone is still theirs', async () => {
		const eve = await addMember(team, 'member');
		const id = await ask({});
		await done(team.olga.call('DELETE', `/members/${eve.memberId}`));
		const given = await eve.call('POST', `/questions/${id}/answer`, { choice: 'yes' });
		expect(given.status).toBe(401);
		expect(await state(id)).toMatchObject({ status: 'open' });
		await done(team.server.call('DELETE', `/questions/${id}`));
	});

	it('its phone is removed, and a new one of the same person answers: it has not got it', async () => {
		const first = await team.server.pairPhone({ user: 'Bob', name: 'First' });
		const id = await ask({ target: onPhone(first) });
		await first.call('DELETE', '/');
		const second = await team.server.pairPhone({ user: 'Bob', name: 'First' });
		expect((await answerOn(second, id)).status).toBe(404);
		expect((await answerOn(first, id)).status).toBe(401);
		expect(await state(id)).toMatchObject({ status: 'open' });
		await second.call('DELETE', '/');
	});
});
