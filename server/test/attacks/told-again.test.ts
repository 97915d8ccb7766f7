import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/**
 * Attempts to have a state shown that is not so: of callbacks, badges, metrics, snoozes and what was kept of a request.
 */

let team: Team;
let receiver: Receiver;
let gateway: SteeredGateway;
let replies: Array<(response: ServerResponse) => void> = [];
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => {
		const reply = replies.shift();
		if (reply) reply(response);
		else response.end('{}');
	});
	gateway = new SteeredGateway();
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' }, gateway);
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, more = {}) =>
	team.server.call(method, path, body, more);
const askWithCallback = async (more: object = {}) =>
	String(
		(
			await done(call('POST', '/questions', { ...ASKED, callback: { url: receiver.url }, ...more }))
		)['question_id'],
	);
const again = (id: string, by = team.olga) => by.call('POST', `/questions/${id}/callback`);
const told = () => receiver.received.map(({ body }) => JSON.parse(body));
const settle = () => settleDue(team.server.context, callbacks);

describe('a workflow is told what is not so', () => {
	it('while the question is open, or once its asker has withdrawn it', async () => {
		const id = await askWithCallback();
		expect((await again(id)).status).toBe(409);
		await done(call('DELETE', `/questions/${id}`));
		expect((await again(id)).status).toBe(409);
		await settle();
		expect(told().filter(({ question_id: one }) => one === id)).toEqual([]);
	});

	it('by another account, or by nobody', async () => {
		const id = await askWithCallback();
		await done(answerOn(team.ada, id));
		await settle();
		const before = receiver.received.length;
		const { status } = await team.server.call('POST', `/questions/${id}/callback`, undefined, {
			key: team.ops,
		});
		expect(status).toBe(404);
		await settle();
		expect(receiver.received).toHaveLength(before);
	});

	it('told again, after the name, the phone and the channel of who answered have gone', async () => {
		await done(team.olga.call('POST', '/users', { name: 'Early' }));
		const phone = await team.server.pairPhone({ user: 'Early', name: 'Red phone' });
		const id = await askWithCallback({ target: onPhone(phone) });
		await done(answerOn(phone, id, { choice: 'no' }));
		await settle();
		await done(team.olga.call('PUT', `/users/${await team.idOf('Early')}`, { name: 'Boss' }));
		await done(team.olga.call('POST', '/users', { name: 'Early' }));
		await done(again(id));
		await settle();
		const answers = told().filter(({ question_id: one }) => one === id);
		expect(answers).toHaveLength(2);
		for (const { status, answer } of answers)
			expect({ status, ...answer }).toMatchObject({
				status: 'answered',
				choice: 'no',
				by: { user: 'Early', device: 'Red phone' },
			});
		await phone.call('DELETE', '/');
	});

	it('or its state is that of an earlier call, which is answered later', async () => {
		const id = await askWithCallback();
		const answers: Array<(status: number) => void> = [];
		const hold = (response: ServerResponse) =>
			void answers.push((status) => response.writeHead(status).end('{}'));
		replies = [hold, hold];
		await done(answerOn(team.ada, id));
		const first = settle();
		await waitFor('the first call', () => answers.length === 1);
		team.server.clock.advance(1);
		await done(again(id));
		const second = settle();
		await waitFor('the second call', () => answers.length === 2);
		answers[0]?.(410);
		await first;
		answers[1]?.(200);
		await second;
		expect(await done(call('GET', `/questions/${id}`))).toMatchObject({ callback: 'delivered' });
	});
});

describe('a phone shows a number that is not so', () => {
	const badgeOf = async (phone = team.ada) => (await phone.snapshot()).badge;

	it('by a push that returns, once its badge has been cleared', async () => {
		const target = onPhone(team.ada);
		await done(call('POST', '/push-notification', { title: 'Mail', badge: 5, target }));
		const { id: delivery_id } = (await team.ada.inbox()).at(-1);
		const until = { until: 'hour', time_zone: 'Europe/Berlin' };
		await done(team.ada.call('POST', '/snoozes', { delivery_id, ...until }));
		await done(call('POST', '/badge', { badge: 0, target }));
		team.server.clock.advance(2 * 60 * 60);
		await settleDue(team.server.context, snoozes);
		expect(await badgeOf()).toBe(0);
	});

	it('by a badge that failed, beside an equal one that arrived', async () => {
		const target = onPhone(team.ada);
		await done(call('POST', '/badge', { badge: 1, target }));
		let fail: (() => void) | undefined;
		let count = 0;
		gateway.answer = () => {
			count += 1;
			if (count > 1) return undefined;
			return new Promise((resolve) => (fail = () => resolve({ kind: 'refused', reason: 'No' })));
		};
		const first = call('POST', '/badge', { badge: 5, target });
		await waitFor('the first attempt', () => fail);
		const second = call('POST', '/badge', { badge: 5, target });
		fail?.();
		const statuses = [(await first).status, (await second).status];
		gateway.answer = undefined;
		expect(statuses).toContain(200);
		expect(await badgeOf()).toBe(5);
	});

	it('by a limited key, on the phone of another channel', async () => {
		await done(call('POST', '/badge', { badge: 2 }));
		await done(call('POST', '/badge', { badge: 9 }, { key: team.ops }));
		expect([
			await badgeOf(team.ada),
			await badgeOf(team.bob),
			await badgeOf(team.stranger),
		]).toEqual([9, 2, 0]);
	});

	it('of a metric that was deleted, and made anew', async () => {
		const metric = { key: 'anew', name: 'Anew', format: 'number' };
		await done(team.olga.call('POST', '/metrics', metric));
		await done(call('POST', '/metrics/anew/value', { value: 7 }));
		await done(team.olga.call('DELETE', '/metrics/anew'));
		await done(team.olga.call('POST', '/metrics', metric));
		const { metrics } = await done(team.olga.call('GET', '/metrics?page=1'));
		expect(metrics.find(({ key }: any) => key === 'anew')).toMatchObject({
			value: null,
			recent: [],
		});
	});

	it.each([
		['of the future', () => team.server.timestamp(3_600), 8],
		['of the past', () => team.server.timestamp(-3_600), 7],
	])('of a metric by a time %s', async (_which, timestamp, shown) => {
		const key = team.unique('late').replace(' ', '-');
		await done(team.olga.call('POST', '/metrics', { key, name: key, format: 'number' }));
		await done(call('POST', `/metrics/${key}/value`, { value: 7 }));
		await done(call('POST', `/metrics/${key}/value`, { value: 8, timestamp: timestamp() }));
		const valueOf = async () =>
			(await done(team.olga.call('GET', '/metrics?page=1')))['metrics'].find(
				(one: any) => one.key === key,
			).value;
		expect(await valueOf()).toBe(shown);
		team.server.clock.advance(1);
		await done(call('POST', `/metrics/${key}/value`, { value: 9 }));
		expect(await valueOf()).toBe(9);
	});
});

describe('a request gets the answer of another', () => {
	const headers = { 'idempotency-key': 'order-8' };
	const push = (key: string, target?: object) =>
		call(
			'POST',
			'/push-notification',
			{ title: 'Order', ...(target && { target }) },
			{ key, headers },
		);

	it('of a key with more, or with other, channels', async () => {
		const { server } = team;
		const both = await server.addKey(server.account.id, ['ops', 'sales']);
		const reached: number[] = [];
		for (const key of [team.ops, both, team.sales, server.account.key]) {
			const answer = await push(key);
			expect(answer.headers['beckon-idempotency']).toBe('new');
			reached.push((await done(Promise.resolve(answer)))['devices_notified']);
		}
		expect(reached).toEqual([1, 2, 1, 3]);
	});

	it('of one with the same channels in another order, which is the same', async () => {
		const { server } = team;
		const turned = await server.addKey(server.account.id, ['sales', 'ops']);
		expect((await push(turned)).headers['beckon-idempotency']).toBe('replayed');
	});

	it('with another target: it is refused, and says nothing of the first', async () => {
		const { status, body } = await push(team.ops, onPhone(team.ada));
		expect(status).toBe(422);
		expect(JSON.stringify(body)).not.toMatch(/Order|phone-|his_/);
	});
});

describe('what several phones of one person put aside', () => {
	it('returns once, where it still belongs, though both snoozed it and one took it back', async () => {
		const tablet = await team.server.pairPhone({ user: 'Ada', name: 'Ada’s tablet' });
		await done(
			call('POST', '/push-notification', { title: 'Later', target: { channels: ['ops'] } }),
		);
		const idOn = async (phone: typeof tablet) => (await phone.inbox()).at(-1).id;
		const until = (delivery_id: number, when: string) => ({
			delivery_id,
			until: when,
			time_zone: 'Europe/Berlin',
		});
		const ids = [await idOn(team.ada), await idOn(tablet)] as const;
		const { undo } = await done(team.ada.call('POST', '/snoozes', until(ids[0], 'hour')));
		team.server.clock.advance(1);
		await done(tablet.call('POST', '/snoozes', until(ids[1], 'morning')));
		await done(team.ada.call('POST', '/notifications/restore', { undo }));
		const bobs = (await team.bob.inbox()).length;
		team.server.clock.advance(3 * 24 * 60 * 60);
		await settleDue(team.server.context, snoozes);
		for (const phone of [team.ada, tablet]) {
			const shown = (await phone.snapshot()).notifications.filter(
				({ push: { title } }: any) => title === 'Later',
			);
			expect(shown).toHaveLength(1);
		}
		expect((await team.bob.inbox()).length).toBe(bobs);
		await tablet.call('DELETE', '/');
	});
});
