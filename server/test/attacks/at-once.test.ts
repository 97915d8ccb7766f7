import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { settleDue } from '../support/later.ts';
import { addMember, answerOn, ASKED, done, startTeam, type Team } from './support/team.ts';

/** Attempts by doing two things at once, or in an order that nobody expects. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterAll(() => team.server.close());

const ask = async (more: object = {}) =>
	String(
		(await done(team.server.call('POST', '/questions', { ...ASKED, ...more })))['question_id'],
	);
const read = (id: string) => done(team.server.call('GET', `/questions/${id}`));
const withdraw = (id: string) => done(team.server.call('DELETE', `/questions/${id}`));
const add = (role: 'member' | 'owner') => addMember(team, role);

describe('two at once', () => {
	it('answer and withdraw: one end, and both are told that one', async () => {
		const id = await ask();
		const [answered, withdrawn] = await Promise.all([
			answerOn(team.ada, id),
			team.server.call('DELETE', `/questions/${id}`),
		]);
		const { status } = await read(id);
		expect(answered.body).toMatchObject({
			outcome: status === 'answered' ? 'answered' : 'refused',
			question: { status },
		});
		expect(withdrawn.body['status']).toBe(status);
	});

	it('merge two people into each other: one is left, with both phones', async () => {
		const names = [team.unique('Twin'), team.unique('Twin')] as const;
		for (const name of names) {
			await done(team.olga.call('POST', '/users', { name }));
			await team.server.pairPhone({ user: name, name: `Phone of ${name}` });
		}
		const [a, b] = [await team.idOf(names[0]), await team.idOf(names[1])];
		const both = await Promise.all([
			team.olga.call('POST', `/users/${a}/merge`, { into: b }),
			team.olga.call('POST', `/users/${b}/merge`, { into: a }),
		]);
		expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
		const { people } = (await team.olga.call('GET', '/users?search=Twin')).body;
		expect(people).toMatchObject([{ phones: 2 }]);
	});

	it('take one name: one of them has it', async () => {
		const eve = await add('member');
		const name = team.unique('Boss');
		const tried = await Promise.all([
			team.max.call('PUT', '/profile', { name: name.toUpperCase() }),
			eve.call('PUT', '/profile', { name }),
			team.olga.call('POST', '/users', { name: `${name}\u200B` }),
		]);
		expect(tried.filter(({ status }) => status === 200)).toHaveLength(1);
	});

	it('demote each other: one owner is left', async () => {
		const eve = await add('owner');
		await Promise.all([
			eve.call('PUT', `/members/${team.olga.memberId}`, { role: 'member' }),
			team.olga.call('PUT', `/members/${eve.memberId}`, { role: 'member' }),
		]);
		const { members } = (await team.max.call('GET', '/members')).body;
		const owners = members.filter(({ role }: any) => role === 'owner');
		expect(owners).toHaveLength(1);
		// Olga is needed by the other attempts.
		if (owners[0].id === eve.memberId)
			await done(eve.call('PUT', `/members/${team.olga.memberId}`, { role: 'owner' }));
	});
});

describe('in another order', () => {
	it('no answer that arrives at the deadline replaces the default', async () => {
		const deadline = { after_seconds: 60, choice: 'no' };
		const id = await ask({ deadline });
		team.server.clock.advance(60);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		const inConsole = await team.olga.call('POST', `/questions/${id}/answer`, { choice: 'yes' });
		expect(inConsole.body).toMatchObject({ outcome: 'refused' });
		expect(await read(id)).toMatchObject({ answer: { choice: 'no', by: 'deadline' } });
	});

	it('a question that has expired takes no answer, though no server has noticed', async () => {
		const id = await ask({ deadline: { after_seconds: 60 }, callback: undefined });
		team.server.clock.advance(61);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ question: { status: 'expired' } });
		expect(await settleDue(team.server.context, questionTimes)).toBe(0);
		expect(await read(id)).toMatchObject({ status: 'expired' });
	});

	it('an answer that was refused does not count once its phone is back in the channel', async () => {
		const id = await ask({ target: { channels: ['ops'] } });
		const given = { tap_id: '6f1f3c1e-2a56-4b1b-9d0c-0a8d6a3d7b31', choice: 'yes' };
		await team.setChannel('ops', []);
		expect((await answerOn(team.ada, id, given)).body).toMatchObject({ outcome: 'refused' });
		await team.setChannel('ops', ['Ada']);
		// Reported again, as after an answer that was lost.
		expect((await answerOn(team.ada, id, given)).body).toMatchObject({ outcome: 'refused' });
		expect(await read(id)).toMatchObject({ status: 'open' });
		await withdraw(id);
	});

	it('a push sent again, once its buttons were tapped and it was repeated, is one push', async () => {
		const repeat = { every_minutes: 1, times: 5 };
		const push = { title: 'Once', target: { channels: ['ops'] } };
		await done(team.server.call('POST', '/push-notification/repeated', { push, repeat }));
		const { entries } = await done(team.olga.call('GET', '/history'));
		const sent = entries.find(({ title }: { title: string }) => title === push.title);
		await done(team.olga.call('POST', `/history/${sent.id}/send`));
		const { read } = team.server.context.database;
		const running = await read
			.selectFrom('repeats')
			.select('id')
			.where('ended_at', 'is', null)
			.execute();
		expect(running).toHaveLength(1);
	});
});
