import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repeats } from '../../src/service/sending/repeats.ts';
import { send } from '../senders/support/send.ts';
import { group } from '../senders/support/groups.ts';
import { settleDue } from '../support/later.ts';
import { STATES } from '../support/samples.ts';
import type { Method } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts of one account with the ids, slugs and names of another on the same server. */

const TRIGGER = `trg_${'w'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';
const headers = { 'idempotency-key': 'order-7', 'x-sequence-id': 'deploy' };

let team: Team;
let ours: string;
let theirs: string;
let theirAccount: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_PUBLIC_URL: 'https://beckon.example.com' });
	const { server } = team;
	ours = server.account.key;
	theirs = team.strangersKey;
	const keys = server.context.database.read.selectFrom('api_keys').select('account_id');
	const { account_id } = await keys
		.where('last_four', '=', theirs.slice(-4))
		.executeTakeFirstOrThrow();
	theirAccount = account_id;
	await server.addMetric({ key: 'load' });
	await server.addMetric({ key: 'load' }, theirAccount);
});
afterAll(() => team.server.close());

const call = (key: string, method: Method, path: string, body?: object, more: object = {}) =>
	team.server.call(method, path, body, { key, ...more });
const path = `/triggers/${TRIGGER}`;
const url = `https://beckon.example.com/api${path}`;

/** What our phones and our console have. */
async function own() {
	const { server, ada, bob, olga } = team;
	const phones = [ada, bob, server.phone];
	const inboxes = await Promise.all(phones.map((phone) => phone.inbox()));
	const screens = await Promise.all(phones.map((phone) => phone.snapshot()));
	const lists = [
		'/metrics?page=1',
		'/live?page=1&streams_page=1',
		'/history',
		'/questions?status=open',
		'/channels',
	];
	const shown = await Promise.all(lists.map(async (list) => (await olga.call('GET', list)).body));
	return JSON.stringify([inboxes, screens, shown]).replaceAll(/"last_seen_at":("[^"]*"|null)/g, '');
}

/** Both do the same, ours first. */
const SAME: Record<string, (key: string) => Promise<{ status: number }>> = {
	'a push with the same Idempotency-Key and sequence': (key) =>
		call(key, 'POST', '/push-notification', { title: 'Deploy' }, { headers }),
	'a stream of the same key': (key) =>
		call(key, 'PUT', '/live-activity/stream/deploy', { content_state: STATES.alert }),
	'the end of a stream of the same key': (key) =>
		key === ours
			? call(key, 'PUT', '/live-activity/stream/ended', { content_state: STATES.alert })
			: call(key, 'DELETE', '/live-activity/stream/ended'),
	'a metric of the same key': (key) =>
		call(key, 'POST', '/metrics/load/value', { value: key === ours ? 1 : 2 }),
	'a trigger of the same id': (key) =>
		call(key, 'PUT', path, { name: key === ours ? 'Ours' : 'Theirs', session: SESSION }),
	'a question with the same Idempotency-Key': (key) =>
		call(key, 'POST', '/questions', ASKED, { headers: { 'idempotency-key': 'ask-7' } }),
	'a badge': (key) => call(key, 'POST', '/badge', { badge: key === ours ? 3 : 0 }),
};

describe('another account does the same, with the same names', () => {
	it.each(Object.keys(SAME))('%s: nothing here changes', async (what) => {
		expect((await SAME[what]!(ours)).status).toBe(200);
		const before = await own();
		const other = await SAME[what]!(theirs);
		expect([200, 404]).toContain(other.status);
		expect(await own()).toBe(before);
	});

	it('a push of the same Idempotency-Key is one of its own, and reaches its own phone', async () => {
		const sent = { title: 'Theirs alone' };
		const mine = await call(ours, 'POST', '/push-notification', sent, {
			headers: { 'idempotency-key': 'twin' },
		});
		const other = await call(theirs, 'POST', '/push-notification', sent, {
			headers: { 'idempotency-key': 'twin' },
		});
		expect([mine, other].map((one) => one.headers['beckon-idempotency'])).toEqual(['new', 'new']);
		expect((await team.stranger.inbox()).at(-1).push.title).toBe('Theirs alone');
		expect(mine.headers['beckon-history-id']).not.toBe(other.headers['beckon-history-id']);
	});

	it('a channel of the same slug reaches the phones of its own', async () => {
		const { server, stranger, ada } = team;
		await server.addKey(server.account.id, ['ops']);
		const before = (await ada.inbox()).length;
		const unknown = await call(theirs, 'POST', '/push-notification', {
			title: 'To ops',
			target: { channels: ['ops'] },
		});
		expect(unknown.status).toBe(400);
		expect((await ada.inbox()).length).toBe(before);
		expect(JSON.stringify(await stranger.inbox())).not.toContain('To ops');
	});

	it('a tap on its button starts its own trigger', async () => {
		const { stranger, ada } = team;
		await done(call(ours, 'PUT', path, { name: 'Ours', session: SESSION }));
		await done(call(theirs, 'PUT', path, { name: 'Theirs', session: SESSION }));
		const actions = [{ title: 'Go', type: 'webhook', url }];
		await done(call(theirs, 'POST', '/push-notification', { title: 'A', actions }));
		const delivery_id = (await stranger.inbox()).at(-1).id;
		const tap_id = randomUUID();
		await done(stranger.call('POST', '/taps', { tap_id, delivery_id, action: 0 }));
		expect(
			(await ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 })).status,
		).toBe(404);
		const tapsOf = async (key: string) =>
			(await done(call(key, 'GET', `${path}/taps?session=${SESSION}`)))['taps'].length;
		expect([await tapsOf(ours), await tapsOf(theirs)]).toEqual([0, 1]);
		// Nor can the other end what waits.
		await done(call(ours, 'POST', `${path}/done`, { taps: [tap_id], end_session: SESSION }));
		expect(await tapsOf(theirs)).toBe(1);
	});

	it('a wait for a question of the other gets nothing, and wakes nobody', async () => {
		const { question_id: id } = await done(call(ours, 'POST', '/questions', ASKED));
		for (const [method, tried, body] of [
			['GET', `/questions/${id}?wait=50`],
			['DELETE', `/questions/${id}`],
			['POST', `/questions/${id}/answer`, { fields: {} }],
		] as const)
			expect((await call(theirs, method, tried, body)).status).toBe(404);
		expect((await answerOn(team.stranger, id)).status).toBe(404);
		expect(await done(call(ours, 'GET', `/questions/${id}`))).toMatchObject({ status: 'open' });
		await done(call(ours, 'DELETE', `/questions/${id}`));
	});

	it('a repeat of the other is neither stopped nor ended by its phones', async () => {
		const push = { title: 'Water', target: onPhone(team.ada) };
		const repeat = { every_minutes: 1, times: 1 };
		const started = await done(call(ours, 'POST', '/push-notification/repeated', { push, repeat }));
		const { status } = await call(
			theirs,
			'DELETE',
			`/push-notification/repeated/${started['repeat_id']}`,
		);
		expect(status).toBe(404);
		const { id: delivery_id } = (await team.ada.inbox()).at(-1);
		for (const [where, body] of [
			['/dismissals', { delivery_id }],
			['/snoozes', { delivery_id, until: 'hour', time_zone: 'Europe/Berlin' }],
		] as const)
			expect((await team.stranger.call('POST', where, body)).status).toBe(404);
		await team.stranger.call('POST', '/notifications/clear', { up_to: delivery_id });
		const before = (await team.ada.inbox()).length;
		team.server.clock.advance(60);
		await settleDue(team.server.context, repeats);
		expect((await team.ada.inbox()).length).toBe(before + 1);
	});

	it('its picture is not taken over by a push of the other, and goes with its own', async () => {
		const payload = Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1');
		const uploaded = await team.server.app.inject({
			method: 'POST',
			url: '/api/images',
			headers: { authorization: `Bearer ${ours}`, 'content-type': 'image/gif' },
			payload,
		});
		const media = String(uploaded.json().url);
		const used = () =>
			team.server.context.database.read.selectFrom('images').select('history_id').execute();
		const before = await used();
		expect(before.length).toBeGreaterThan(0);
		await done(call(theirs, 'POST', '/push-notification', { title: 'A', media }));
		expect(await used()).toEqual(before);
	});

	it('alerts of the same group, and an agent’s session of the same id, are each their own', async () => {
		const { server } = team;
		await server.context.database.read.selectFrom('accounts').select('id').execute();
		const our = await server.addSenderKey(['ops']);
		const fire = (key: string, status: string) =>
			send(server, '/alertmanager', { key, body: group(['critical'], { name: 'Twin', status }) });
		expect((await fire(our, 'firing')).status).toBe(200);
		const before = await own();
		// The key of another account has no channels here.
		expect((await fire(theirs, 'resolved')).status).toBe(401);
		const stop = { hook_event_name: 'Stop', session_id: 'session-1', background_tasks: [] };
		expect((await send(server, '/agent-hook', { key: theirs, body: stop })).status).toBe(401);
		expect(await own()).toBe(before);
		await fire(our, 'resolved');
	});
});
