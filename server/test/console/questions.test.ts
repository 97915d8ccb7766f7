import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

const ASKED = { title: 'Deploy?', message: 'To all.', choices: [{ id: 'yes', title: 'Approve' }] };

describe('questions in the console', () => {
	let server: TestServer;
	let owner: Console;
	let member: Console;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		owner = await signedIn(server);
		member = await signedIn(server, { invitedBy: owner });
	});
	afterEach(() => server.close());

	const ask = async (more: object = {}): Promise<string> => {
		const { status, body } = await server.call('POST', '/questions', { ...ASKED, ...more });
		expect(status).toBe(200);
		return String(body['question_id']);
	};
	const list = async (status: string, of = owner) =>
		(await of.call('GET', `/questions?status=${status}`)).body;
	const answer = (of: Console, id: string) =>
		of.call('POST', `/questions/${id}/answer`, { choice: 'yes' });

	it('are listed, open and past, with what each member may do', async () => {
		const id = await ask({ answerable_by: ['Olga'] });
		expect(await list('open')).toMatchObject({
			open: 1,
			next: null,
			questions: [
				{
					question_id: id,
					message: 'To all.',
					asked_by: 'test',
					shown: { choices: ASKED.choices },
					may_answer: true,
					may_withdraw: true,
				},
			],
		});
		expect((await list('open', member))['questions']).toMatchObject([
			{ may_answer: false, may_withdraw: false },
		]);
		await server.call('DELETE', `/questions/${id}`);
		expect(await list('open')).toMatchObject({ open: 0, questions: [] });
		expect((await list('past'))['questions']).toMatchObject([
			{ question_id: id, status: 'withdrawn', may_answer: false, may_withdraw: false },
		]);
	});

	it('are answered under the name of the member, if they may', async () => {
		const id = await ask({ answerable_by: ['Olga'] });
		expect((await answer(member, id)).body).toMatchObject({
			outcome: 'refused',
			message: 'Only Olga may answer this question.',
		});
		expect((await answer(owner, id)).body).toMatchObject({ outcome: 'answered' });
		expect((await server.call('GET', `/questions/${id}`)).body['answer']).toMatchObject({
			by: { user: 'Olga', device: null },
		});
		expect((await server.phone.snapshot()).questions[0].push.answer).toMatchObject({
			by: 'Olga',
			device: 'Console',
		});
		const late = await server.phone.call('POST', `/questions/${id}/answer`, {
			tap_id: randomUUID(),
			choice: 'yes',
		});
		expect(late.body['message']).toMatch(/^Already answered: Approved by Olga/);
	});

	it('are withdrawn by owners, and by members who may answer, and recorded', async () => {
		const [id, other] = [await ask({ answerable_by: ['Olga'] }), await ask({ title: 'Other' })];
		expect((await member.call('DELETE', `/questions/${id}`)).status).toBe(403);
		for (const [who, one] of [
			[owner, id],
			[member, other],
		] as const) {
			expect((await who.call('DELETE', `/questions/${one}`)).status).toBe(200);
			expect((await server.call('GET', `/questions/${one}`)).body['status']).toBe('withdrawn');
		}
		const { body } = await owner.call('GET', '/audit');
		expect(
			body['entries'].filter(({ event }: any) => event === 'question_withdrawn'),
		).toMatchObject([
			{ actor_name: expect.stringMatching(/^Max /), subject: `${other} (test)` },
			{ actor_name: expect.stringMatching(/^Olga /), subject: `${id} (test)` },
		]);
	});

	it('are withdrawn with their key, if its owner wants that', async () => {
		for (const withdraws of [true, false]) {
			const key = await server.addKey(server.account.id);
			const { body } = await server.call('POST', '/questions', ASKED, { key });
			const keys = (await owner.call('GET', '/keys')).body as unknown as any[];
			const { id, open_questions: open } = keys.find((one) => key.endsWith(one.last_four));
			expect(open).toBe(1);
			await owner.call(
				'DELETE',
				`/keys/${id}`,
				withdraws ? { withdraw_questions: true } : undefined,
			);
			const { body: state } = await server.call('GET', `/questions/${body['question_id']}`);
			expect(state['status']).toBe(withdraws ? 'withdrawn' : 'open');
		}
	});
});
