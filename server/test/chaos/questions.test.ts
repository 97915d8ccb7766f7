import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QuestionState } from '../../src/contract/questions.ts';
import { createWorld, type World } from '../faults/support/world.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { Fleet } from './support/fleet.ts';

const SERVERS = 3;
const QUESTIONS = 12;
let cluster: Cluster;
let world: World;
let fleet: Fleet;
let receiver: Receiver;

beforeAll(async () => {
	cluster = await startCluster();
	await cluster.createDatabase('beckon');
	world = await createWorld(1, 2, {
		databaseUrl: cluster.urlOf('beckon'),
		address: () => fleet.address(),
		settings: { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_PER_DEVICE: '100000' },
	});
	fleet = new Fleet(SERVERS, () => world.startAnother());
	receiver = await startReceiver();
	await fleet.start();
});
afterAll(async () => {
	await fleet.close();
	await receiver.close();
	await world.close();
	await cluster.remove();
});

/** Repeats a request until a server answers it. */
async function send(token: string, method: string, path: string, body?: object): Promise<any> {
	// The key of a question stays the same, so it is asked once.
	const key = randomUUID();
	const request = {
		method,
		headers: {
			authorization: `Bearer ${token}`,
			'idempotency-key': `"${key}"`,
			...(body && { 'content-type': 'application/json' }),
		},
		...(body && { body: JSON.stringify(body) }),
	};
	for (;;) {
		try {
			const signal = AbortSignal.timeout(60_000);
			const answer = await fetch(`${world.url}${path}`, { ...request, signal });
			const text = await answer.text();
			if (answer.ok) return JSON.parse(text);
			if (answer.status !== 503) return { refused: answer.status, text };
		} catch {
			// The server was killed.
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

const ask = async (title: string): Promise<string> => {
	const { question_id: id } = await send(world.key, 'POST', '/api/questions', {
		title,
		choices: [
			{ id: 'yes', title: 'Approve' },
			{ id: 'no', title: 'Decline' },
		],
		deadline: { after_seconds: 30, choice: 'no' },
		callback: { url: `${receiver.url}/callback` },
	});
	return id as string;
};

/** Waits like a client: a server that ends the wait is asked again, or another. */
async function waitForEnd(id: string): Promise<QuestionState> {
	for (;;) {
		const state = (await send(world.key, 'GET', `/api/questions/${id}?wait=50`)) as QuestionState;
		if (state.status !== 'open') return state;
	}
}

describe('questions at three servers that are killed in turn', () => {
	it('end once, and those who asked are told', async () => {
		const ids: string[] = [];
		const ended: Array<Promise<QuestionState>> = [];
		const answers: Array<Promise<any>> = [];
		for (let index = 0; index < SERVERS; index += 1) {
			for (let n = 0; n < QUESTIONS; n += 1) {
				const id = await ask(`Question ${index}.${n}`);
				ids.push(id);
				ended.push(waitForEnd(id));
				// Every third is left to its deadline.
				if (n % 3 === 0) continue;
				for (const [at, { token }] of world.phones.entries()) {
					const answer = { tap_id: randomUUID(), choice: at === 0 ? 'yes' : 'no' };
					answers.push(send(token, 'POST', `/device/questions/${id}/answer`, answer));
				}
			}
			const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
			await fleet.restart(index, signal);
		}
		await Promise.all(answers);
		const states = await Promise.all(ended);
		for (const [n, state] of states.entries()) {
			const isLeft = (n % QUESTIONS) % 3 === 0;
			expect(state).toMatchObject({
				question_id: ids[n],
				status: 'answered',
				answer: isLeft ? { choice: 'no', by: 'deadline' } : { by: { user: 'owner' } },
			});
		}
		const told = () => Promise.all(ids.map((id) => send(world.key, 'GET', `/api/questions/${id}`)));
		const final = await waitFor('all callbacks', async () => {
			const now = await told();
			return now.every(({ callback }) => callback === 'delivered') && now;
		});
		for (const [n, state] of final.entries()) {
			expect(state.answer).toEqual(states[n]!.answer);
			const calls = receiver.received
				.map(({ body }) => JSON.parse(body) as QuestionState)
				.filter(({ question_id: id }) => id === state.question_id);
			expect(calls.length).toBeGreaterThan(0);
			for (const { answer } of calls) expect(answer).toEqual(state.answer);
		}
		await waitFor('all deliveries', async () => (await world.pending()) === 0);
	});
});
