import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { createContext } from '../../src/assembly.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { timeOf } from '../../src/service/context.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { TestPhone } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';
import { PLENTY, server, servers, start, stop } from './support/several-servers.ts';

const ASKED = {
	title: 'Deploy?',
	choices: [
		{ id: 'yes', title: 'Approve' },
		{ id: 'no', title: 'Decline' },
	],
};

/** What the requests that wait would take without an answer. */
const WAIT_MS = 50_000;

describe('a question at several servers', () => {
	let receiver: Receiver;
	beforeEach(async () => {
		receiver = await startReceiver();
		await start({
			...PLENTY,
			BECKON_RATE_QUESTIONS: '100000',
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
		});
	});
	afterEach(async () => {
		await stop();
		await receiver.close();
	});

	const ask = async (more: object = {}): Promise<string> => {
		const { status, body } = await server(0).call('POST', '/questions', { ...ASKED, ...more });
		expect(status).toBe(200);
		return String(body['question_id']);
	};
	const answer = async (phone: TestPhone, id: string, choice: string) =>
		(await phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice })).body;
	const read = async (n: number, id: string, query = '') =>
		(await server(n).call('GET', `/questions/${id}${query}`)).body;

	it('answered at one reaches those who wait at all others, soon', async () => {
		const id = await ask();
		const waiting = servers.map((_, n) => read(n, id, '?wait=50'));
		await waitFor('all to wait', () =>
			servers.every(({ context }) => context.questionWaits.size === 1),
		);
		await answer(server(1).phone, id, 'no');
		for (const state of await within('the answers', Promise.all(waiting), WAIT_MS))
			expect(state).toMatchObject({ status: 'answered', answer: { choice: 'no' } });
	});

	it('has one answer, whichever of them it comes to first', async () => {
		const phones = [server(0).phone, await server(1).pairPhone(), await server(2).pairPhone()];
		for (let round = 0; round < 5; round += 1) {
			const id = await ask({ deadline: { after_seconds: 30, choice: 'yes' } });
			const answers = await Promise.all(
				phones.map((phone, n) => answer(phone, id, n % 2 === 0 ? 'yes' : 'no')),
			);
			const won = answers.filter(({ outcome }) => outcome === 'answered');
			expect(won).toHaveLength(1);
			for (const { question } of answers)
				expect(question.answer).toEqual(won[0]!['question'].answer);
			for (const n of servers.keys())
				expect((await read(n, id))['answer']).toEqual(won[0]!['question'].answer);
		}
	});

	it('is reminded, ended and told once, however many of them look', async () => {
		const id = await ask({
			deadline: { after_seconds: 600, choice: 'no' },
			remind: { every_minutes: 5, times: 1 },
			callback: { url: receiver.url },
		});
		const everywhere = () =>
			Promise.all(servers.map((one) => settleDue(one.context, questionTimes)));
		server(0).clock.advance(300);
		await everywhere();
		const kinds = async () => (await server(0).phone.inbox()).map(({ kind }) => kind);
		expect(await kinds()).toEqual(['push', 'push']);
		server(0).clock.advance(300);
		await everywhere();
		await Promise.all(
			servers.map(async ({ context }) => {
				await settleDue(context, callbacks);
			}),
		);
		expect(await read(2, id)).toMatchObject({
			status: 'answered',
			answer: { choice: 'no', by: 'deadline' },
			callback: 'delivered',
		});
		expect(receiver.received).toHaveLength(1);
	});

	it('has the time of the database on servers whose clocks are wrong', async () => {
		const { context, settings } = server(0);
		const { database } = context;
		const wrong = jest.spyOn(Date, 'now').mockReturnValue(0);
		const { isClockShared, now } = createContext({
			config: readConfig({ ...settings }),
			database,
			onError: (error) => {
				throw error;
			},
		});
		const time = await timeOf(database.read, { isClockShared, now });
		wrong.mockRestore();
		expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
		expect(await timeOf(database.read, context)).toBe(server(0).clock.now);
	});
});
