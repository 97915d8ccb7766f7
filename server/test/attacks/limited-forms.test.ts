import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait.ts';
import { STATES } from '../support/samples.ts';
import { send } from '../senders/support/send.ts';
import { group } from '../senders/support/groups.ts';
import { ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/** Attempts with limited keys in the forms of other programs, by the tools for agents, and with what two keys share. */

const WAITS = 2;
const TRIGGER = `trg_${'t'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';

let team: Team;
/** A sender key of each channel. */
let opsSender: string;
let salesSender: string;

beforeAll(async () => {
	team = await startTeam({ BECKON_QUESTION_WAITS: String(WAITS), BECKON_RATE_MCP: '1000000' });
	opsSender = await team.server.addSenderKey(['ops']);
	salesSender = await team.server.addSenderKey(['sales']);
});
afterAll(() => team.server.close());

const call = (
	method: 'GET' | 'POST' | 'PUT' | 'DELETE',
	path: string,
	body?: object,
	key = team.ops,
) => team.server.call(method, path, body, { key });
const sendAs = (key: string, url: string, more: Parameters<typeof send>[2]) =>
	send(team.server, url, { key, ...more });

/** What all others see, whatever is tried with the key of `ops`. */
async function expectOnlyAda(attempt: () => Promise<unknown>): Promise<void> {
	const { server, bob, stranger } = team;
	const seen = () => Promise.all([bob, stranger, server.phone].map((phone) => phone.inbox()));
	const before = await seen();
	await attempt();
	expect(await seen()).toEqual(before);
}

/** Every way to name a topic in ntfy's form. */
const TOPICS: Record<string, (topic: string) => [string, Parameters<typeof send>[2]]> = {
	'in the path': (topic) => [`/ntfy/${topic}`, { body: 'Secret' }],
	'in the path, with PUT': (topic) => [`/ntfy/${topic}`, { method: 'PUT', body: 'Secret' }],
	'in a link': (topic) => [`/ntfy/${topic}/trigger?message=Secret`, { method: 'GET' }],
	'in JSON': (topic) => ['/ntfy', { body: { topic, message: 'Secret' } }],
	'in JSON, at the root': (topic) => ['/', { body: { topic, message: 'Secret' } }],
	'with a sequence': (topic) => [`/ntfy/${topic}/deploy`, { body: 'Secret' }],
	'by clearing': (topic) => [`/ntfy/${topic}/deploy/clear`, { method: 'PUT' }],
	'by deleting': (topic) => [`/ntfy/${topic}/deploy`, { method: 'DELETE' }],
};

describe('a limited key reaches others', () => {
	it.each(Object.keys(TOPICS))('by a topic %s', async (how) => {
		const [bobs] = onPhone(team.bob).channels;
		await expectOnlyAda(async () => {
			for (const topic of [
				'sales',
				'nobody',
				bobs!,
				'ops,sales',
				'ops%2Csales',
				'OPS',
				'*',
				'all',
			]) {
				const { status } = await sendAs(opsSender, ...TOPICS[how]!(topic));
				expect([topic, [400, 403, 404].includes(status)]).toEqual([topic, true]);
			}
		});
	});

	it('by a form whose fields name more than a message', async () => {
		const more = {
			target: { channels: ['sales'] },
			channels: ['sales'],
			topic: 'sales',
			to: 'all',
		};
		const message = { title: 'Hello', message: 'Hello', ...more };
		await expectOnlyAda(async () => {
			await sendAs(opsSender, '/gotify/message', { body: { ...message, extras: more } });
			await sendAs(opsSender, '/ntfy/ops', { body: JSON.stringify(message) });
			await sendAs(opsSender, '/ntfy/ops?topic=sales&target=sales', { body: 'Hello' });
			await sendAs(opsSender, '/grafana', { body: { ...group(['high']), ...more, orgId: 1 } });
		});
	});

	it.each<[string, object]>([
		['send_push', { title: 'Secret' }],
		['ask', { ...ASKED, title: 'Secret' }],
		['set_badge', { badge: 7 }],
		['update_live_activity', { stream_key: 'tool', ...shows('Secret') }],
	])('with the tool %s', async (name, given) => {
		const [bobs] = onPhone(team.bob).channels;
		await expectOnlyAda(async () => {
			for (const channels of [['sales'], ['ops', 'sales'], [bobs], ['nobody'], [], 'all', null]) {
				const params = { name, arguments: { ...given, target: { channels } } };
				const { body } = await sendAs(team.ops, '/mcp', {
					headers: { accept: 'application/json, text/event-stream' },
					body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
				});
				expect([channels, body.result.isError]).toEqual([channels, true]);
			}
		});
	});

	it('by a target that names nobody', async () => {
		const requests: Array<[string, (target: unknown) => object]> = [
			['/push-notification', (target) => ({ title: 'A', target })],
			['/questions', (target) => ({ ...ASKED, target })],
			['/badge', (target) => ({ badge: 1, target })],
			['/live-activity/start', (target) => ({ content_state: STATES.alert, target })],
			[
				'/push-notification/repeated',
				(target) => ({
					push: { title: 'A', target },
					repeat: { every_minutes: 1, times: 1 },
				}),
			],
		];
		await expectOnlyAda(async () => {
			for (const [path, toBody] of requests)
				for (const target of [
					{},
					{ channels: [] },
					{ channels: null },
					null,
					[],
					'ops',
					{ Channels: [] },
				])
					for (const key of [team.ops, team.server.account.key])
						expect([path, target, (await call('POST', path, toBody(target), key)).status]).toEqual([
							path,
							target,
							400,
						]);
		});
	});
});

describe('groups of the same name, of two limited keys', () => {
	const fire = (key: string, more: object = {}) =>
		sendAs(key, '/alertmanager', { body: group(['critical'], { name: 'HostDown', ...more }) });
	const titles = async () =>
		(await team.bob.inbox()).map(({ push, activity }) =>
			String(push?.title ?? activity?.content_state.title),
		);

	it('with the same group of alerts: both are told, and neither changes that of the other', async () => {
		expect((await fire(opsSender)).status).toBe(200);
		const told = (await titles()).length;
		expect((await fire(salesSender)).status).toBe(200);
		const own = (await titles()).slice(told);
		expect(own).toEqual([expect.stringContaining('HostDown')]);
		expect((await fire(salesSender, { status: 'resolved' })).status).toBe(200);
		const { activities } = await team.ada.snapshot();
		const card = activities.find(({ content_state: state }: any) => state.title === 'HostDown');
		expect(card.content_state).toMatchObject({ badge: { title: '1 firing' } });
		expect((await titles()).slice(told)).toHaveLength(2);
		await fire(opsSender, { status: 'resolved' });
	});

	it('with the same Idempotency-Key, and gets its answer', async () => {
		const headers = { 'idempotency-key': 'order-7' };
		const ask = (key: string) =>
			done(team.server.call('POST', '/questions', ASKED, { key, headers }));
		const first = await ask(team.ops);
		const other = await ask(team.sales);
		expect(other['question_id']).not.toBe(first['question_id']);
		expect(
			(await call('GET', `/questions/${first['question_id']}`, undefined, team.sales)).status,
		).toBe(404);
		// A key of the same channels gets the same answer, but not the question.
		const twin = await team.server.addKey(team.server.account.id, ['ops']);
		const { question_id: id } = await ask(twin);
		expect(id).toBe(first['question_id']);
		for (const method of ['GET', 'DELETE'] as const)
			expect((await call(method, `/questions/${id}`, undefined, twin)).status).toBe(404);
		for (const one of [id, other['question_id']])
			await call('DELETE', `/questions/${one}`, undefined, team.server.account.key);
	});

	it('with all the waiting that it may do', async () => {
		const ids = [];
		for (let count = 0; count < WAITS + 1; count += 1)
			ids.push((await done(call('POST', '/questions', ASKED)))['question_id']);
		const waiting = ids.slice(0, WAITS).map((id) => call('GET', `/questions/${id}?wait=50`));
		await waitFor('the waits', () => team.server.context.questionWaits.size === WAITS);
		expect((await call('GET', `/questions/${ids[WAITS]}?wait=50`)).status).toBe(429);
		const own = (await done(call('POST', '/questions', ASKED, team.sales)))['question_id'];
		const answered = call('GET', `/questions/${own}?wait=50`, undefined, team.sales);
		await waitFor('one more wait', () => team.server.context.questionWaits.size === WAITS + 1);
		for (const id of [...ids, own])
			await done(call('DELETE', `/questions/${id}`, undefined, team.server.account.key));
		for (const { body } of [...(await Promise.all(waiting)), await answered])
			expect(body['status']).toBe('withdrawn');
	});

	it('by ending the taps of its trigger as those of an own one', async () => {
		const { server, ada, sales } = team;
		const own = TRIGGER.replaceAll('t', 'u').replace('urg', 'trg');
		const listen = { name: 'Deploy', session: SESSION };
		await done(call('PUT', `/triggers/${TRIGGER}`, listen));
		await done(call('PUT', `/triggers/${own}`, { ...listen, name: 'Other' }, sales));
		const url = `https://beckon.example.com/api/triggers/${TRIGGER}`;
		const actions = [{ title: 'Go', type: 'webhook', url }];
		await done(call('POST', '/push-notification', { title: 'A', actions }));
		const delivery_id = (await ada.inbox()).at(-1).id;
		const tap_id = '0b0e8d39-2f65-4b38-8c0f-3b8f7b8f9a01';
		await done(ada.call('POST', '/taps', { tap_id, delivery_id, action: 0 }));
		await done(call('POST', `/triggers/${own}/done`, { taps: [tap_id] }, sales));
		const { taps } = await done(call('GET', `/triggers/${TRIGGER}/taps?session=${SESSION}`));
		expect(taps).toMatchObject([{ tap_id, by: { user: 'Ada' } }]);
		expect(server.context.triggerWaits.size).toBe(0);
	});

	it('by testing the trigger that a revoked key has left', async () => {
		const { server, olga } = team;
		const left = await server.addKey(server.account.id, ['ops', 'sales']);
		const id = `trg_${'l'.repeat(43)}`;
		await done(call('PUT', `/triggers/${id}`, { name: 'Left', session: SESSION }, left));
		await server.revokeKey(server.account.id, left);
		const listen = { name: 'Mine', session: 'session-of-n8n-2' };
		for (const body of [listen, { ...listen, test: true }])
			expect((await call('PUT', `/triggers/${id}`, body)).status).toBe(404);
		for (const query of ['test=1', `session=${SESSION}`, 'session=session-of-n8n-2'])
			expect((await call('GET', `/triggers/${id}/taps?${query}`)).status).toBe(404);
		expect((await olga.call('GET', '/keys')).status).toBe(200);
	});

	it('by a button for a trigger that is not its own, in the form of ntfy', async () => {
		const id = `trg_${'n'.repeat(43)}`;
		await done(
			call('PUT', `/triggers/${id}`, { name: 'Pay', session: SESSION }, team.server.account.key),
		);
		const url = `https://beckon.example.com/api/triggers/${id}`;
		const { status } = await sendAs(opsSender, '/ntfy/ops', {
			headers: { actions: `http, Go, ${url}` },
			body: 'Tap me',
		});
		expect(status).toBe(400);
	});
});
