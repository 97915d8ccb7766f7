import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedIn } from '../console/support/console.ts';
import { answerOn, ASKED, done, startTeam, type Team } from './support/team.ts';

/** Attempts to be taken for another person, or to decide as one, by a name that looks like theirs or was theirs. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterAll(() => team.server.close());

const letAttemptsPass = () => team.server.clock.advance(15 * 60);
const rename = async (name: string) => (await team.max.call('PUT', '/profile', { name })).status;
const ask = async (more: object) => team.server.call('POST', '/questions', { ...ASKED, ...more });

describe('a member takes a name that looks like another’s', () => {
	it.each([
		['a note that is not printed', 'Olga\u{1D159}'],
		['a blank of the Egyptians', 'Olga\u{13441}'],
		['a blank that stands for an object', 'Olga\uFFFC'],
		['a character for private use', 'Olga\uE000'],
		['a character that is none yet', 'Olga\u0378'],
		['a phonetic g', 'Ol\u0261a'],
		['a phonetic a', 'Olg\u0251'],
		['a click for an l', 'O\u01C0ga'],
		['a small capital', '\u1D0Flga'],
		['a Burmese letter', '\u101Dlga'],
		['a Deseret letter', '\u{1042C}lga'],
		['a subscript', 'Olg\u2090'],
		['letters in circles', 'Ⓞⓛⓖⓐ'],
		['a ligature of nothing', 'Ol\u200Dga'],
	])('with %s', async (_with, name) => {
		expect([400, 409]).toContain(await rename(name));
		expect([400, 409]).toContain((await team.olga.call('POST', '/users', { name })).status);
	});

	it.each([
		['Max', 'Мах'],
		['MAX', 'МАХ'],
		['Bob', 'ВОВ'],
		['Eve', 'Еѵе'],
		['Oto', 'ОТО'],
		['Kate', 'ΚΑΤΕ'],
		['Hope', 'Норе'],
	])('%s with letters that are all of another alphabet: %s', async (name, twin) => {
		await team.olga.call('POST', '/users', { name });
		expect([400, 409]).toContain((await team.olga.call('POST', '/users', { name: twin })).status);
	});

	it('who was removed: neither by renaming nor by joining, and an owner can give it', async () => {
		const { server, olga, max } = team;
		await olga.call('POST', '/users', { name: 'Gone' });
		await olga.call('DELETE', `/users/${await team.idOf('Gone')}`);
		for (const name of ['Gone', 'GONE', 'Gоne'])
			expect([400, 409]).toContain((await max.call('PUT', '/profile', { name })).status);
		const refused = await max.call('PUT', '/profile', { name: 'Gone' });
		expect(refused.body.message).toContain('A person named Gone was removed');
		letAttemptsPass();
		await expect(signedIn(server, { invitedBy: olga, name: 'Gone' })).rejects.toThrow(
			'Gone was removed',
		);
		const given = await olga.call('PUT', `/users/${await team.idOf('Max')}`, { name: 'Gone' });
		expect(given.status).toBe(200);
		expect(await rename('Max')).toBe(200);
	});

	it('but a name of letters that look like no others is free', async () => {
		for (const name of ['Роман', 'Ελένη', 'Ɛsi', 'Ŋmaa', 'Ольга', 'Рут'])
			expect([name, (await team.olga.call('POST', '/users', { name })).status]).toEqual([
				name,
				200,
			]);
	});

	it.each(['deadline', 'Console', 'Owner'])(
		'of the server’s own: %s, as an approval',
		async (name) => {
			letAttemptsPass();
			await done(team.olga.call('POST', '/users', { name }));
			const phone = await team.server.pairPhone({ user: name });
			const { body } = await ask({ deadline: { after_seconds: 60, choice: 'no' } });
			await done(answerOn(phone, body['question_id']));
			const { body: ended } = await team.server.call('GET', `/questions/${body['question_id']}`);
			expect(ended['answer']).toMatchObject({ choice: 'yes', by: { user: name } });
			await phone.call('DELETE', '/');
		},
	);
});

describe('a name decides who may answer', () => {
	it.each([
		['in another case', 'ada'],
		['with a blank', 'Ada '],
		['with what nobody sees', 'Ad\u200Ba'],
		['in full width', 'Ａda'],
		['of a phone', 'Phone of Ada'],
		['of a channel', 'ops'],
		['as an id', 'usr_ada'],
	])('%s: it is refused, and nobody else can answer', async (_how, name) => {
		const before = (await team.ada.inbox()).length;
		const { status } = await ask({ answerable_by: [name] });
		// Trimmed, it is hers.
		expect([400, 200]).toContain(status);
		if (status === 200) expect(name.trim()).toBe('Ada');
		else expect((await team.ada.inbox()).length).toBe(before);
	});

	it('and so does that of another account', async () => {
		const named = await ask({ answerable_by: ['owner', 'Stranger'] });
		expect(named.status).toBe(400);
	});

	it('a person who is renamed meanwhile still can, and who has the name since cannot', async () => {
		const [old, later] = [team.unique('Nia'), team.unique('Nora')];
		letAttemptsPass();
		await done(team.olga.call('POST', '/users', { name: old }));
		const phone = await team.server.pairPhone({ user: old });
		const { body } = await ask({ answerable_by: [old] });
		await done(team.olga.call('PUT', `/users/${await team.idOf(old)}`, { name: later }));
		await done(team.olga.call('POST', '/users', { name: old }));
		const taken = await team.server.pairPhone({ user: old });
		expect((await answerOn(taken, body['question_id'])).status).toBe(404);
		expect((await answerOn(phone, body['question_id'])).body).toMatchObject({
			outcome: 'answered',
		});
	});

	it('a merge of another into the named one gives their phones no vote on what is open', async () => {
		letAttemptsPass();
		const [boss, other] = [team.unique('Boss'), team.unique('Other')];
		for (const name of [boss, other]) await done(team.olga.call('POST', '/users', { name }));
		const own = await team.server.pairPhone({ user: boss });
		await team.server.addChannel('bosses', { users: [boss] });
		const late = await team.server.pairPhone({ user: other });
		const { body } = await ask({ answerable_by: [boss], target: { channels: ['bosses'] } });
		const into = await team.idOf(boss);
		await done(team.olga.call('POST', `/users/${await team.idOf(other)}/merge`, { into }));
		expect((await answerOn(late, body['question_id'])).status).toBe(404);
		expect((await answerOn(own, body['question_id'])).body).toMatchObject({ outcome: 'answered' });
	});

	it('a phone with the name of the named one’s phone has none either', async () => {
		letAttemptsPass();
		const twin = await team.server.pairPhone({ user: 'Bob', name: 'Phone of Ada' });
		const { body } = await ask({ answerable_by: ['Ada'] });
		const given = await twin.call('POST', `/questions/${body['question_id']}/answer`, {
			tap_id: randomUUID(),
			choice: 'yes',
		});
		expect(given.body).toMatchObject({ outcome: 'refused' });
		await twin.call('DELETE', '/');
	});
});
