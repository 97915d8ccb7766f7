import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../faults/support/world.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { Fleet } from './support/fleet.ts';
import { Question } from './support/question.ts';

const SERVERS = 3;

/** Per round: each server calls two webhooks. */
const QUESTIONS = 2 * SERVERS;

let cluster: Cluster;
let world: World;
let fleet: Fleet;
let webhook: Receiver;
const questions = new Map<string, Question>();

beforeAll(async () => {
	cluster = await startCluster();
	await cluster.createDatabase('beckon');
	world = await createWorld(2, 2, {
		databaseUrl: cluster.urlOf('beckon'),
		address: () => fleet.address(),
		settings: { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_PER_DEVICE: '100000' },
	});
	fleet = new Fleet(SERVERS, () => world.startAnother());
	webhook = await startReceiver((call, response) => {
		const question = questions.get(decodeURIComponent(call.path?.slice(1) ?? ''));
		void question?.receive(call, response);
	});
	await fleet.start();
});
afterAll(async () => {
	await fleet.close();
	await webhook.close();
	await world.close();
	await cluster.remove();
});

/** Every phone taps on every question while a server that calls two of the webhooks is killed. */
async function tapWhileKilled(index: number): Promise<void> {
	const { phones } = world;
	const asked: Question[] = [];
	for (let n = 0; n < QUESTIONS; n += 1) {
		const title = `Question ${index}.${n}`;
		const question = await Question.ask(world, webhook.url, title);
		questions.set(title, question);
		asked.push(question);
	}
	const urls = fleet.urls();
	const firstPhone = (n: number) => phones[n % phones.length]!;
	const taps = asked.map((question, n) =>
		question.tapUntilAnswered(firstPhone(n), 0, urls[n % SERVERS]),
	);
	await waitFor('the calls', () => asked.every(({ calls }) => calls.length > 0));
	for (const [n, question] of asked.entries()) {
		const others = phones.filter((phone) => phone !== firstPhone(n));
		taps.push(...others.map((phone) => question.tapUntilAnswered(phone, 1)));
	}
	// Of each server's two webhook calls, one is answered as the server is killed, the other later.
	const [atOnce, later] = [0, 1].map((rest) => asked.filter((_, n) => n % 2 === rest));
	for (const question of atOnce!) question.letGo();
	await Promise.all(atOnce!.map(({ isSent }) => isSent));
	const restarted = fleet.restart(index, 'SIGKILL');
	for (const question of later!) question.letGo();
	expect(await restarted).toBe('SIGKILL');
	await Promise.all(taps);
}

describe('taps on the same questions at three servers that are killed in turn', () => {
	it('call no webhook of an answered question, and close it everywhere', async () => {
		for (let index = 0; index < SERVERS; index += 1) await tapWhileKilled(index);
		await waitFor('all deliveries', async () => (await world.pending()) === 0);
		const asked = [...questions.values()];
		const calls = asked.reduce((sum, question) => sum + question.calls.length, 0);
		process.stdout.write(`${asked.length} questions, ${calls} calls of their webhooks\n`);
		for (const question of asked) {
			holdCalls(question);
			await holdClosed(question);
		}
	});
});

/**
 * The last call is the answer's. An earlier one had its server killed before the answer was stored: the
 * person was told that its outcome is unknown.
 */
function holdCalls({ calls, told }: Question): void {
	expect(new Set(calls).size).toBe(calls.length);
	expect(calls.length).toBeLessThanOrEqual(2);
	const outcomes = calls.map((tap) => told.get(tap)?.outcome);
	expect(outcomes).toEqual([...calls.slice(1).map(() => 'failed'), 'called']);
}

/** Checks that every phone shows the one answer, at every server, and that further taps do nothing. */
async function holdClosed(question: Question): Promise<void> {
	const { calls, told, title } = question;
	const answer = told.get(calls.at(-1)!)?.answer;
	expect(answer).toMatchObject({ final: true });
	const before = calls.length;
	for (const tap of told.values()) if (tap.answer) expect(tap.answer).toEqual(answer);
	for (const phone of world.phones) {
		expect([title, phone.answers.get(title)]).toEqual([title, answer!.button]);
		for (const url of fleet.urls()) {
			const { push } = await question.shownOn(phone, url);
			expect(push.answer).toEqual(answer);
			expect(push.actions?.map(({ closed }) => closed)).toEqual([true, true]);
			const { outcome, answer: shown } = await question.tap(phone, 1, url);
			expect([outcome, shown]).toEqual(['refused', answer]);
		}
	}
	expect(calls.length).toBe(before);
}
