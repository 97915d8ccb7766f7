import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline', destructive: true },
];
const ASKED = { title: 'Deploy?', choices: CHOICES };
const FORM = { title: 'Fill in', link: { title: 'Open', url: 'https://example.com/form' } };

/** What a request that waits takes if nothing wakes it. */
const WAIT_MS = 50_000;

describe('a question of the API', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const ask = async (question: object = ASKED, key?: string): Promise<string> => {
		const { status, body } = await server.call('POST', '/questions', question, {
			...(key !== undefined && { key }),
		});
		expect({ status, body }).toMatchObject({ status: 200 });
		return String(body['question_id']);
	};
	const read = (id: string, query = '', key?: string) =>
		server.call('GET', `/questions/${id}${query}`, undefined, {
			...(key !== undefined && { key }),
		});
	const answer = (id: string, given: object, phone: TestPhone = server.phone) =>
		phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), ...given });

	it('is asked like a push, and read', async () => {
		const { status, body } = await server.call('POST', '/questions', { ...ASKED, tags: ['a'] });
		expect({ status, body }).toEqual({
			status: 200,
			body: {
				success: true,
				devices_notified: 1,
				users_notified: 1,
				effective_channel_slugs: null,
				tags: ['a'],
				timestamp: server.timestamp(),
				question_id: expect.any(String),
				status: 'open',
				deadline_at: server.timestamp(30 * 24 * 60 * 60),
			},
		});
		expect((await read(body['question_id'])).body).toEqual({
			success: true,
			question_id: body['question_id'],
			title: 'Deploy?',
			status: 'open',
			asked_at: server.timestamp(),
			deadline_at: server.timestamp(30 * 24 * 60 * 60),
			ended_at: null,
			callback: 'none',
		});
	});

	it('answered on a phone names the person, the phone and the choice', async () => {
		const id = await ask();
		expect((await answer(id, { choice: 'no' })).body).toMatchObject({ outcome: 'answered' });
		expect((await read(id)).body).toMatchObject({
			status: 'answered',
			answer: {
				choice: 'no',
				by: { user: expect.any(String), device: 'Phone' },
				at: server.timestamp(),
			},
			ended_at: server.timestamp(),
		});
	});

	it('without a way to answer, or with link and answerable_by, is refused', async () => {
		for (const [question, path] of [
			[{ title: 'x' }, 'choices'],
			[{ ...FORM, answerable_by: ['owner'] }, 'answerable_by'],
			[{ ...ASKED, choices: [CHOICES[0], CHOICES[0]] }, 'choices'],
			[{ ...ASKED, deadline: { after_seconds: 60, choice: 'maybe' } }, 'deadline.choice'],
			[{ ...ASKED, deadline: {} }, 'deadline'],
			[{ ...ASKED, deadline: { at: server.timestamp(29) } }, 'deadline.at'],
			[{ ...ASKED, deadline: { at: server.timestamp(31 * 24 * 60 * 60) } }, 'deadline.at'],
			[{ ...ASKED, actions: [] }, 'actions'],
			[{ ...ASKED, answerable_by: ['Nobody'] }, 'answerable_by'],
			[{ ...ASKED, answerable_by: [] }, 'answerable_by'],
			[{ ...ASKED, callback: { url: 'http://example.com' } }, 'callback.url'],
			[
				{ ...ASKED, escalate: { after_minutes: 1, target: { channels: ['none'] } } },
				'escalate.target.channels',
			],
		] as const) {
			const { status, body } = await server.call('POST', '/questions', question);
			expect({ path, status, message: body['message'] }).toEqual({
				path,
				status: 400,
				message: expect.stringContaining(path.split('.')[0]!),
			});
		}
	});

	it('with an Idempotency-Key is asked once', async () => {
		const headers = { 'idempotency-key': '"question-1"' };
		const first = await server.call('POST', '/questions', ASKED, { headers });
		const again = await server.call('POST', '/questions', ASKED, { headers });
		expect(again.body).toEqual(first.body);
		const other = { ...ASKED, choices: [CHOICES[0]] };
		expect(await server.call('POST', '/questions', other, { headers })).toMatchObject({
			status: 422,
			body: { code: 'idempotency_key_reused' },
		});
	});

	it('with choices cannot be answered by a key', async () => {
		const id = await ask();
		for (const fields of [{}, { choice: 'yes' }]) {
			const { status } = await server.call('POST', `/questions/${id}/answer`, { fields });
			expect(status).toBe(403);
		}
		expect((await server.call('POST', `/questions/${id}/answer`, { choice: 'yes' })).status).toBe(
			400,
		);
		expect((await read(id)).body['status']).toBe('open');
	});

	it('with a link gets the answer of its form from the key that asked', async () => {
		const id = await ask(FORM);
		const other = await server.addKey(server.account.id);
		const path = `/questions/${id}/answer`;
		expect((await server.call('POST', path, { fields: { a: 1 } }, { key: other })).status).toBe(
			403,
		);
		expect((await answer(id, { choice: 'yes' })).status).toBe(400);
		const { status, body } = await server.call('POST', path, { fields: { size: 'L' } });
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { status: 'answered', answer: { fields: { size: 'L' }, by: 'form' } },
		});
		expect((await server.call('POST', path, { fields: {} })).status).toBe(409);
	});

	it('is withdrawn by a key, and an ended one stays as it is', async () => {
		const id = await ask({ ...ASKED, callback: { url: 'https://example.com/' } });
		expect((await server.call('DELETE', `/questions/${id}`)).body).toMatchObject({
			status: 'withdrawn',
			callback: 'none',
			ended_at: server.timestamp(),
		});
		expect((await answer(id, { choice: 'yes' })).body).toMatchObject({
			outcome: 'refused',
			message: 'This question was withdrawn.',
			question: { status: 'withdrawn' },
		});
		const answered = await ask();
		await answer(answered, { choice: 'yes' });
		expect((await server.call('DELETE', `/questions/${answered}`)).body['status']).toBe('answered');
	});

	it('is there for the key that asked and for keys of all channels alone', async () => {
		await server.addChannel('ops', { devices: [server.phone.id] });
		const [ops, all] = [
			await server.addKey(server.account.id, ['ops']),
			await server.addKey(server.account.id),
		];
		const id = await ask();
		const other = await server.addAccount();
		expect((await read(id, '', all)).status).toBe(200);
		for (const key of [ops, other.key]) {
			expect((await read(id, '', key)).status).toBe(404);
			expect((await server.call('DELETE', `/questions/${id}`, undefined, { key })).status).toBe(
				404,
			);
			expect(
				(await server.call('POST', `/questions/${id}/answer`, { fields: {} }, { key })).status,
			).toBe(404);
		}
		const own = await ask(ASKED, ops);
		expect((await read(own, '', ops)).status).toBe(200);
	});

	it('is listed by its key while it is open, page by page, newest first', async () => {
		const key = await server.addKey(server.account.id);
		const ids = [await ask(ASKED, key), await ask(ASKED, key), await ask(ASKED, key)];
		await answer(ids[1]!, { choice: 'yes' });
		const list = async (query: string) =>
			(await server.call('GET', `/questions?status=open${query}`, undefined, { key })).body;
		const first = await list('&limit=1');
		expect(first['questions'].map((one: any) => one.question_id)).toEqual([ids[2]]);
		const second = await list(`&limit=1&after=${first['next']}`);
		expect(second['questions'].map((one: any) => one.question_id)).toEqual([ids[0]]);
		expect(second['next']).toBeNull();
	});

	describe('that is waited for', () => {
		it('answers when it ends', async () => {
			const id = await ask();
			const waiting = [read(id, '?wait=50'), read(id, '?wait=50')];
			await waitFor('the requests to wait', () => server.context.questionWaits.size === 2);
			await answer(id, { choice: 'yes' });
			for (const { body } of await within('the answers', Promise.all(waiting), WAIT_MS))
				expect(body).toMatchObject({ status: 'answered', answer: { choice: 'yes' } });
			expect(server.context.questionWaits.size).toBe(0);
			expect((await read(id, '?wait=50')).body['status']).toBe('answered');
		});

		it('answers with the open state when the time is up', async () => {
			const id = await ask();
			expect((await read(id, '?wait=1')).body).toMatchObject({ status: 'open' });
			expect((await read(id, '?wait=51')).status).toBe(400);
		});

		it('refuses more requests of a key than it may have', async () => {
			leaveOutOfPacked('the store and the service');
			const few = await startTestServer({
				settings: { ...UNLIMITED, BECKON_QUESTION_WAITS: '2' },
			});
			const { body } = await few.call('POST', '/questions', ASKED);
			const path = `/questions/${body['question_id']}?wait=50`;
			const waiting = [few.call('GET', path), few.call('GET', path)];
			await waitFor('the requests to wait', () => few.context.questionWaits.size === 2);
			const refused = await few.call('GET', path);
			expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
			const other = await few.addKey(few.account.id);
			const theirs = few.call('GET', path, undefined, { key: other });
			await waitFor('the other key to wait', () => few.context.questionWaits.size === 3);
			// As the server stops, all of them are answered.
			few.context.questionWaits.stop();
			for (const answered of await within(
				'the answers',
				Promise.all([...waiting, theirs]),
				WAIT_MS,
			))
				expect(answered).toMatchObject({ status: 200, body: { status: 'open' } });
			await few.close();
		});
	});

	describe('that only some may answer', () => {
		it('is refused to all others, wherever they are', async () => {
			const { context, account } = server;
			const { addUser } = await import('../../src/service/people/people.ts');
			await addUser(context, account.id, { name: 'Ada' });
			const ada = await server.pairPhone({ user: 'Ada', name: 'Hers' });
			const id = await ask({ ...ASKED, answerable_by: ['Ada'] });
			expect((await read(id)).body['answerable_by']).toEqual(['Ada']);
			expect((await answer(id, { choice: 'yes' })).body).toMatchObject({
				outcome: 'refused',
				message: 'Only Ada may answer this question.',
				question: { status: 'open', answerable_by: [{ name: 'Ada' }] },
			});
			expect((await answer(id, { choice: 'yes' }, ada)).body).toMatchObject({
				outcome: 'answered',
			});
			expect((await read(id)).body['answer']).toMatchObject({
				by: { user: 'Ada', device: 'Hers' },
			});
		});

		it('must reach one of them', async () => {
			const { context, account } = server;
			const { addUser } = await import('../../src/service/people/people.ts');
			await addUser(context, account.id, { name: 'Bob' });
			await server.addChannel('bob', { users: ['Bob'] });
			const asked = { ...ASKED, answerable_by: ['Bob'] };
			expect((await server.call('POST', '/questions', asked)).status).toBe(422);
			await server.pairPhone({ user: 'Bob' });
			const own = { ...asked, target: { channels: [`one`] } };
			await server.addChannel('one', { devices: [server.phone.id] });
			expect((await server.call('POST', '/questions', own)).status).toBe(422);
			const escalated = { ...own, escalate: { after_minutes: 5, target: { channels: ['bob'] } } };
			expect((await server.call('POST', '/questions', escalated)).status).toBe(200);
			// A key with channels does not learn who else is there.
			const key = await server.addKey(account.id, ['one']);
			for (const name of ['Bob', 'Nobody'])
				expect(
					(await server.call('POST', '/questions', { ...ASKED, answerable_by: [name] }, { key }))
						.status,
				).toBe(422);
		});
	});

	it('beyond the most open ones is refused', async () => {
		const few = await startTestServer({ settings: { ...UNLIMITED, BECKON_QUESTIONS_OPEN: '1' } });
		const { body } = await few.call('POST', '/questions', ASKED);
		expect(await few.call('POST', '/questions', ASKED)).toMatchObject({ status: 429 });
		await few.call('DELETE', `/questions/${body['question_id']}`);
		expect(await few.call('POST', '/questions', ASKED)).toMatchObject({ status: 200 });
		await few.close();
	});
});
