import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { afterCallback, callbacks, ENDED_IN_N8N } from '../../src/service/questions/callbacks.ts';
import { deleteOldHistory } from '../../src/service/upkeep/retention.ts';
import { mergePerson, removePerson, addUser } from '../../src/service/people/people.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline' },
];
const ASKED = { title: 'Deploy?', choices: CHOICES };

describe('a question', () => {
	let server: TestServer;
	let receiver: Receiver;
	/** How the callback is answered. */
	let reply: { status: number };
	beforeEach(async () => {
		reply = { status: 200 };
		receiver = await startReceiver((_request, response) => {
			response
				.writeHead(reply.status, { 'content-type': 'application/json' })
				.end('{"received":true}');
		});
		const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };
		server = await startTestServer({ settings });
	});
	afterEach(async () => {
		await server.close();
		await receiver.close();
	});

	const ask = async (question: object = {}): Promise<string> => {
		const answered = await server.call('POST', '/questions', { ...ASKED, ...question });
		expect(answered).toMatchObject({ status: 200 });
		return String(answered.body['question_id']);
	};
	const read = async (id: string) => (await server.call('GET', `/questions/${id}`)).body;
	const answer = async (id: string, choice = 'yes', phone = server.phone) =>
		(await phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice })).body;
	/** Lets time pass, and what is then due happen. */
	const after = async (seconds: number) => {
		server.clock.advance(seconds);
		await settleDue(server.context, questionTimes);
	};
	const callBack = async () => {
		await settleDue(server.context, callbacks);
	};
	const onScreen = async (phone = server.phone) => (await phone.snapshot()).questions;
	const kinds = async (phone = server.phone) => (await phone.inbox()).map(({ kind }) => kind);

	describe('whose deadline passes', () => {
		it('is answered by its default', async () => {
			const id = await ask({ deadline: { after_seconds: 60, choice: 'no' } });
			await after(59);
			// It is told before, too.
			expect(await read(id)).toMatchObject({ status: 'open', deadline_choice: 'no' });
			expect((await onScreen())[0].push.question).toMatchObject({ deadline_choice: 'no' });
			await after(1);
			expect(await read(id)).toMatchObject({
				status: 'answered',
				answer: { choice: 'no', by: 'deadline' },
			});
			expect((await onScreen())[0].push.question).toMatchObject({ status: 'answered' });
		});

		it('expires without one', async () => {
			const id = await ask({ deadline: { at: server.timestamp(90) } });
			await after(90);
			expect(await read(id)).toMatchObject({ status: 'expired', ended_at: server.timestamp() });
			expect(await kinds()).toEqual(['push', 'push_update']);
		});

		it('takes no answer, even before that is stored', async () => {
			const id = await ask({ deadline: { after_seconds: 60 } });
			server.clock.advance(60);
			expect(await answer(id)).toMatchObject({
				outcome: 'refused',
				message: 'The time to answer this is over.',
			});
			expect((await read(id))['status']).toBe('expired');
		});
	});

	describe('that reminds', () => {
		it('comes again as often as it says, in place of the last one, until it is answered', async () => {
			const id = await ask({ remind: { every_minutes: 5, times: 2 } });
			await after(5 * 60);
			await settleDue(server.context, questionTimes);
			expect(await kinds()).toEqual(['push', 'push']);
			expect(await onScreen()).toHaveLength(1);
			await after(5 * 60);
			await after(5 * 60);
			expect(await kinds()).toEqual(['push', 'push', 'push']);
			await answer(id);
			const other = await ask({ remind: { every_minutes: 5, times: 2 } });
			await answer(other);
			const before = (await kinds()).length;
			await after(5 * 60);
			expect(await kinds()).toHaveLength(before);
		});

		it('does not come to a phone that is no longer paired', async () => {
			const second = await server.pairPhone({ name: 'Second' });
			await ask({ remind: { every_minutes: 5, times: 1 } });
			await second.call('DELETE', '/');
			await after(5 * 60);
			expect(await kinds()).toEqual(['push', 'push']);
		});

		it('stops with the key that asked, and stays answerable', async () => {
			const key = await server.addKey(server.account.id);
			const question = {
				...ASKED,
				remind: { every_minutes: 5, times: 1 },
				deadline: { after_seconds: 600 },
			};
			const { body } = await server.call('POST', '/questions', question, { key });
			await server.revokeKey(server.account.id, key);
			await after(5 * 60);
			expect(await kinds()).toEqual(['push']);
			expect(await answer(body['question_id'])).toMatchObject({ outcome: 'answered' });
		});
	});

	describe('that escalates', () => {
		let boss: TestPhone;
		beforeEach(async () => {
			boss = await server.pairPhone({ name: 'Boss' });
			await server.addChannel('ops', { devices: [server.phone.id] });
			await server.addChannel('boss', { devices: [boss.id] });
		});
		const escalating = (more: object = {}) =>
			ask({
				target: { channels: ['ops'] },
				escalate: { after_minutes: 10, target: { channels: ['boss'] } },
				...more,
			});

		it('comes to further phones once, who may answer', async () => {
			const id = await escalating({ remind: { every_minutes: 15, times: 5 } });
			expect(await kinds(boss)).toEqual([]);
			expect(await answer(id, 'yes', boss)).toMatchObject({ error: 'Question not found' });
			await after(10 * 60);
			await settleDue(server.context, questionTimes);
			expect(await kinds(boss)).toEqual(['push']);
			expect((await read(id))['escalated']).toEqual({
				at: server.timestamp(),
				devices_notified: 1,
			});
			// A reminder then reaches both.
			await after(5 * 60);
			expect(await kinds(boss)).toEqual(['push', 'push']);
			expect(await kinds()).toEqual(['push', 'push']);
			expect(await answer(id, 'no', boss)).toMatchObject({ outcome: 'answered' });
			expect((await onScreen())[0].push).toMatchObject({
				answer: { button: 'Decline', device: 'Boss', final: true },
				question: { status: 'answered', answer: { choice: 'no' } },
			});
		});

		it('to nobody notes that', async () => {
			const id = await escalating();
			await boss.call('DELETE', '/');
			await after(10 * 60);
			expect((await read(id))['escalated']).toMatchObject({ devices_notified: 0 });
		});

		it('does nothing once it is answered', async () => {
			const id = await escalating();
			await answer(id);
			await after(10 * 60);
			expect(await kinds(boss)).toEqual([]);
		});
	});

	describe('on a phone', () => {
		it('survives Clear all, comes before the notifications, and goes an hour after its answer', async () => {
			const id = await ask();
			await server.call('POST', '/push-notification', { title: 'Other' });
			const { id: last } = (await server.phone.inbox()).at(-1);
			const cleared = await server.phone.call('POST', '/notifications/clear', { up_to: last });
			expect(cleared.body['cleared']).toBe(1);
			expect(await server.phone.snapshot()).toMatchObject({
				notifications: [],
				notification_count: 0,
				questions: [{ push: { title: 'Deploy?', question: { status: 'open', choices: CHOICES } } }],
			});
			await answer(id);
			server.clock.advance(59 * 60);
			expect(await onScreen()).toMatchObject([{ push: { question: { status: 'answered' } } }]);
			server.clock.advance(60);
			expect(await onScreen()).toEqual([]);
		});

		it('that was dismissed can be answered from the history', async () => {
			const id = await ask();
			const [{ id: delivery_id }] = await onScreen();
			await server.phone.call('POST', '/dismissals', { delivery_id });
			expect(await onScreen()).toEqual([]);
			const { body } = await server.phone.call('GET', '/history');
			expect(body['deliveries']).toMatchObject([{ push: { question: { status: 'open' } } }]);
			expect(await answer(id)).toMatchObject({ outcome: 'answered' });
		});

		it('has one answer: later ones say whose, and a repeated report gets the same', async () => {
			const second = await server.pairPhone({ name: 'Second' });
			const id = await ask();
			const tap = { tap_id: randomUUID(), choice: 'yes' };
			const path = `/questions/${id}/answer`;
			const answers = await Promise.all([
				server.phone.call('POST', path, tap),
				second.call('POST', path, { tap_id: randomUUID(), choice: 'no' }),
			]);
			const outcomes = answers.map(({ body }) => body['outcome']);
			expect(outcomes.toSorted()).toEqual(['answered', 'refused']);
			const won = answers.find(({ body }) => body['outcome'] === 'answered')!.body;
			const lost = answers.find(({ body }) => body['outcome'] === 'refused')!.body;
			expect(lost).toMatchObject({
				message: expect.stringMatching(/^Already answered: /),
				question: { answer: won['question'].answer },
			});
			expect((await server.phone.call('POST', path, tap)).body).toEqual(answers[0].body);
		});

		it('takes a typed answer of the length it asks for', async () => {
			const id = await ask({ choices: undefined, text: { max_length: 3 } });
			const path = `/questions/${id}/answer`;
			const type = (given: object) =>
				server.phone.call('POST', path, { tap_id: randomUUID(), ...given });
			expect((await type({ text: 'four' })).status).toBe(400);
			expect((await type({ choice: 'yes' })).status).toBe(400);
			expect((await type({ text: '👍👍👍' })).body).toMatchObject({ outcome: 'answered' });
			expect((await read(id))['answer']).toMatchObject({ text: '👍👍👍' });
		});

		it('without it is not found', async () => {
			await server.addChannel('ops', { devices: [server.phone.id] });
			const other = await server.pairPhone({ name: 'Other' });
			const id = await ask({ target: { channels: ['ops'] } });
			expect(await answer(id, 'yes', other)).toMatchObject({ error: 'Question not found' });
		});
	});

	describe('with a callback', () => {
		const asking = () => ask({ callback: { url: `${receiver.url}/resume` } });

		it('tells its state when it ends, once', async () => {
			const id = await asking();
			await callBack();
			expect(receiver.received).toHaveLength(0);
			await answer(id);
			expect((await read(id))['callback']).toBe('pending');
			await callBack();
			await callBack();
			expect(receiver.received).toHaveLength(1);
			expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/resume' });
			expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
				question_id: id,
				status: 'answered',
				answer: { choice: 'yes', by: { device: 'Phone' } },
			});
			expect((await read(id))['callback']).toBe('delivered');
			expect((await onScreen())[0].push.question.callback).toBe('delivered');
		});

		it('that has already ended elsewhere is over', async () => {
			reply = { status: 410 };
			const id = await asking();
			await answer(id);
			await callBack();
			expect((await read(id))['callback']).toBe('over');
		});

		it('is called again while what asked is busy', async () => {
			reply = { status: 409 };
			const id = await asking();
			await answer(id);
			await callBack();
			await callBack();
			expect(receiver.received).toHaveLength(1);
			server.clock.advance(1);
			await callBack();
			reply = { status: 200 };
			server.clock.advance(2);
			await callBack();
			expect(receiver.received).toHaveLength(3);
			expect((await read(id))['callback']).toBe('delivered');
		});

		it('is not called if its key withdraws it', async () => {
			const id = await asking();
			await server.call('DELETE', `/questions/${id}`);
			await callBack();
			expect(receiver.received).toHaveLength(0);
		});
	});

	it('that is open is never deleted with the history', async () => {
		const id = await ask({ deadline: { after_seconds: 86_400 } });
		await server.phone.call('POST', '/acknowledge', {
			deliveries: (await server.phone.inbox()).map((one) => one.id),
		});
		server.clock.advance(3_600);
		await deleteOldHistory(server.context, 1_000);
		expect((await read(id))['status']).toBe('open');
		await answer(id);
		await server.phone.call('POST', '/acknowledge', {
			deliveries: (await server.phone.inbox()).map((one) => one.id),
		});
		server.clock.advance(3_600);
		await deleteOldHistory(server.context, 1_000);
		expect((await server.call('GET', `/questions/${id}`)).status).toBe(404);
	});

	it('may be answered by the person with whom one of its people is merged, and by nobody when they are gone', async () => {
		const { context, account } = server;
		const ada = await addUser(context, account.id, { name: 'Ada' });
		const bob = await addUser(context, account.id, { name: 'Bob' });
		const hers = await server.pairPhone({ user: 'Ada' });
		const id = await ask({ answerable_by: ['Ada'] });
		await mergePerson(context, account.id, ada.id, bob.id);
		expect((await read(id))['answerable_by']).toEqual(['Bob']);
		await removePerson(context, account.id, bob.id);
		expect((await read(id))['answerable_by']).toEqual([]);
		expect((await hers.call('GET', '/snapshot')).status).toBe(401);
		expect(await answer(id)).toMatchObject({
			outcome: 'refused',
			message: expect.stringContaining('Nobody can answer'),
		});
	});
});

describe('the answer of a callback', () => {
	const after = (status: number, tries: number, seconds: number, isPage = false) =>
		afterCallback({ kind: 'responded', status, isPage }, tries, seconds * 1_000);

	it.each([
		[200, 'delivered'],
		[204, 'delivered'],
		[410, 'over'],
	] as const)('%s means %s', (status, state) => {
		expect(after(status, 1, 0)).toEqual({ state });
	});

	const SAID = [
		[404, 'The execution "7" does not exist.'],
		[404, 'The execution "7 does not exist.'],
		[409, 'The execution "7 has finished already.'],
		[409, 'The execution "7" has finished with error.'],
		[200, 'No action required'],
	] as const;

	it.each(SAID)('%i with n8n’s “%s” means that it has ended', (status, text) => {
		const isPage = status === 200;
		expect(afterCallback({ kind: 'responded', status, isPage, text }, 1, 0)).toEqual({
			state: 'over',
		});
		const other = { kind: 'responded', status: 403, isPage, text } as const;
		expect(afterCallback(other, 1, 0)).toEqual({ pauseMs: 5_000 });
	});

	it('is known in each of n8n’s words, for both of its lines', () => {
		for (const { n8n, status, text } of ENDED_IN_N8N) {
			expect(n8n).toEqual([1, 2]);
			expect(SAID.some(([code, said]) => code === status && text.test(said))).toBe(true);
		}
	});

	it('is tried again for five minutes while busy, and then less often', () => {
		const pauses = [1, 2, 3, 4, 5, 6].map((tries) => after(409, tries, 100));
		expect(pauses).toEqual([1, 2, 5, 10, 30, 30].map((seconds) => ({ pauseMs: seconds * 1_000 })));
		expect(after(409, 20, 300)).toEqual({ pauseMs: 3_600_000 });
	});

	it('is tried again for a day whatever else it is, as something else may have answered', () => {
		for (const status of [302, 400, 401, 403, 404, 408, 429, 500, 503]) {
			expect(after(status, 1, 0)).toEqual({ pauseMs: 5_000 });
			expect(after(status, 3, 60)).toEqual({ pauseMs: 20_000 });
			expect(after(status, 30, 86_399)).toEqual({ pauseMs: 3_600_000 });
			expect(after(status, 30, 86_400)).toEqual({ state: 'refused' });
		}
		expect(after(200, 1, 0, true)).toEqual({ pauseMs: 5_000 });
		expect(after(201, 1, 0, true)).toEqual({ state: 'delivered' });
	});

	it('is waited for where there is none, and not soon if it may have arrived', () => {
		expect(afterCallback({ kind: 'uncalled' }, 3, 0)).toEqual({ pauseMs: 20_000 });
		expect(afterCallback({ kind: 'unknown' }, 1, 0)).toEqual({ pauseMs: 30_000 });
		expect(afterCallback({ kind: 'unknown' }, 30, 0)).toEqual({ pauseMs: 3_600_000 });
		expect(afterCallback({ kind: 'not_allowed' }, 3, 0)).toEqual({ state: 'refused' });
	});
});
