import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import type { Method, TestPhone } from '../support/server.ts';
import {
	answerOn,
	ASKED,
	cardsOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
} from './support/team.ts';

/** Attempts with limited keys by channels that are made anew, by unusual requests, and by what goes on later. */

const OPEN = 6;
const SESSION = 'session-of-n8n-1';
const trigger = (letter: string) => `trg_${letter.repeat(43)}`;
const addressOf = (id: string) => `https://beckon.example.com/api/triggers/${id}`;
const buttonTo = (url: string) => ({ title: 'Go', type: 'webhook', url });

let team: Team;
beforeAll(async () => {
	team = await startTeam({
		BECKON_PUBLIC_URL: 'https://beckon.example.com',
		BECKON_QUESTIONS_OPEN: String(OPEN),
	});
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	const { read } = team.server.context.database;
	const running = read.selectFrom('activities').select('id').where('ended_at', 'is', null);
	for (const { id } of await running.execute())
		await team.olga.call('POST', `/activities/${id}/end`, {});
	const open = read.selectFrom('questions').select('id').where('ended_at', 'is', null);
	for (const { id } of await open.execute()) await team.server.call('DELETE', `/questions/${id}`);
});
afterAll(() => team.server.close());

const call = (method: Method, path: string, body?: object, key = team.ops, headers = {}) =>
	team.server.call(method, path, body, { key, headers });
const byAccount = (method: Method, path: string, body?: object) =>
	call(method, path, body, team.server.account.key);
const settleIn = (minutes: number, kind: Parameters<typeof settleDue>[1]) => {
	team.server.clock.advance(minutes * 60);
	return settleDue(team.server.context, kind);
};
const others = () => [team.bob, team.stranger, team.server.phone];
const pushesOn = async (phone: TestPhone) =>
	(await phone.inbox()).filter(({ kind }) => kind === 'push').map(({ push }) => push.title);

/** What phones other than Ada's see, whatever is tried with the key of `ops`. */
async function expectOnlyAda(attempt: () => Promise<unknown>): Promise<void> {
	const seen = () => Promise.all(others().flatMap((one) => [one.inbox(), cardsOn(one)]));
	const before = await seen();
	await attempt();
	expect(await seen()).toEqual(before);
}

/** A channel of Ada with its key, which are made anew: with Bob, and another key. */
async function briefChannel() {
	const { server, olga } = team;
	const slug = team.unique('brief').replace(' ', '-');
	await server.addChannel(slug, { users: ['Ada'] });
	const first = await server.addKey(server.account.id, [slug]);
	const makeAnew = async () => {
		await server.revokeKey(server.account.id, first);
		await done(olga.call('DELETE', `/channels/${slug}`));
		await server.addChannel(slug, { users: ['Bob'] });
		return server.addKey(server.account.id, [slug]);
	};
	return { slug, first, makeAnew };
}

describe('a channel that was made anew gets what was for the one before', () => {
	it('by its open question, reminder or repeat', async () => {
		const { slug, makeAnew } = await briefChannel();
		const target = { channels: [slug] };
		const remind = { every_minutes: 1, times: 3 };
		const { question_id: id } = await done(
			byAccount('POST', '/questions', { ...ASKED, target, remind }),
		);
		const push = { title: 'Old repeat', target };
		await done(byAccount('POST', '/push-notification/repeated', { push, repeat: remind }));
		const next = await makeAnew();
		await expectOnlyAda(async () => {
			await settleIn(1, questionTimes);
			await settleIn(1, repeats);
		});
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		for (const [method, path] of [
			['GET', `/questions/${id}`],
			['DELETE', `/questions/${id}`],
		] as const)
			expect((await call(method, path, undefined, next)).status).toBe(404);
	});

	it('by sending again what the first one got, with its key revoked', async () => {
		const { first, makeAnew } = await briefChannel();
		const { headers: given } = await call('POST', '/push-notification', { title: 'Old' }, first);
		await makeAnew();
		const before = await Promise.all([team.ada, ...others()].map((one) => one.inbox()));
		const { status } = await team.olga.call(
			'POST',
			`/history/${String(given['beckon-history-id'])}/send`,
		);
		expect(status).toBe(422);
		expect(await Promise.all([team.ada, ...others()].map((one) => one.inbox()))).toEqual(before);
	});

	it('by the trigger of the first one, and its waiting tap', async () => {
		const { first, makeAnew } = await briefChannel();
		const id = trigger('b');
		await done(call('PUT', `/triggers/${id}`, { name: 'Go', session: SESSION }, first));
		const actions = [buttonTo(addressOf(id))];
		await done(call('POST', '/push-notification', { title: 'T', actions }, first));
		const delivery_id = (await team.ada.inbox()).at(-1).id;
		await done(team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 }));
		const next = await makeAnew();
		const register = { name: 'Go', session: SESSION };
		expect((await call('PUT', `/triggers/${id}`, register, next)).status).toBe(404);
		expect(
			(await call('GET', `/triggers/${id}/taps?session=${SESSION}`, undefined, next)).status,
		).toBe(404);
	});
});

describe('a phone that was named, and has left the channels of the key since', () => {
	const left = async () => {
		const name = team.unique('Leaver');
		await done(team.olga.call('POST', '/users', { name }));
		const phone = await team.server.pairPhone({ user: name });
		await team.setChannel('ops', ['Ada', name]);
		return { phone, leave: () => team.setChannel('ops', ['Ada']) };
	};
	const remind = { every_minutes: 1, times: 5 };

	it('gets the reminders of a question', async () => {
		const { phone, leave } = await left();
		await done(call('POST', '/questions', { ...ASKED, remind, target: onPhone(phone) }));
		await leave();
		const before = await phone.inbox();
		await settleIn(1, questionTimes);
		expect((await phone.inbox()).length).toBe(before.length);
	});

	it('gets the repeats of a push', async () => {
		const { phone, leave } = await left();
		const push = { title: 'Again', target: onPhone(phone) };
		await done(call('POST', '/push-notification/repeated', { push, repeat: remind }));
		await leave();
		const before = await phone.inbox();
		await settleIn(1, repeats);
		expect((await phone.inbox()).length).toBe(before.length);
	});

	it.each<[string, Method, string, (target: object) => object]>([
		['a push', 'POST', '/push-notification', (target) => ({ title: 'A', target })],
		['a badge', 'POST', '/badge', (target) => ({ badge: 8, target })],
		['a question', 'POST', '/questions', (target) => ({ ...ASKED, target })],
		['its stream', 'PUT', '/live-activity/stream/left', (target) => ({ ...shows('B'), target })],
		['an activity', 'POST', '/live-activity/start', (target) => ({ ...shows('B'), target })],
	])('gets %s', async (_what, method, path, toBody) => {
		const { phone, leave } = await left();
		await done(
			call('PUT', '/live-activity/stream/left', { ...shows('A'), target: onPhone(phone) }),
		);
		await leave();
		const seen = async () => [await phone.inbox(), await cardsOn(phone)];
		const before = await seen();
		expect((await call(method, path, toBody(onPhone(phone)))).status).toBe(403);
		expect((await call('PUT', '/live-activity/stream/left', shows('C'))).status).toBe(403);
		expect((await call('DELETE', '/live-activity/stream/left')).status).toBe(403);
		expect(await seen()).toEqual(before);
		expect(JSON.stringify((await call('GET', '/phones')).body)).not.toContain('Leaver');
		expect(JSON.stringify((await call('GET', '/live-activity/streams')).body)).not.toContain(
			'left',
		);
		await done(byAccount('DELETE', '/live-activity/stream/left', {}));
	});
});

describe('a limited key changes, or shows to others, what is not its own', () => {
	it.each<[string, () => string[] | undefined]>([
		['all', () => undefined],
		['both', () => ['ops', 'sales']],
		['others', () => ['sales']],
		['the phone of another', () => onPhone(team.bob).channels],
	])('by the id of a Live Activity of %s', async (_whose, toChannels) => {
		const channels = toChannels();
		const target = channels && { target: { channels } };
		const { activity_id } = await done(
			byAccount('POST', '/live-activity/start', { ...shows('Kept'), ...target }),
		);
		await expectOnlyAda(async () => {
			for (const path of ['/live-activity/update', '/live-activity/end'])
				expect((await call('POST', path, { activity_id, ...shows('X') })).status).toBe(403);
		});
	});

	it.each<[string, (key: string) => Promise<unknown>]>([
		['is shown', async () => undefined],
		['is paused', (key) => done(team.olga.call('POST', `/streams/${key}/pause`))],
	])(
		'by its question’s end, which has the words of a stream of others that %s',
		async (_how, pause) => {
			const words = { title: 'Disk', message: 'Almost full' };
			const live_activity = { stream_key: 'disk' };
			const { question_id: id } = await done(
				call('POST', '/questions', { ...words, text: {}, live_activity }),
			);
			await done(byAccount('DELETE', '/live-activity/stream/disk', {}));
			const state = { content_state: { type: 'alert', ...words }, channels: ['sales'] };
			await done(byAccount('PUT', '/live-activity/stream/disk', state));
			await pause('disk');
			const { streams: before } = await done(byAccount('GET', '/live-activity/streams'));
			await expectOnlyAda(() => done(answerOn(team.ada, String(id), { text: 'Secret' })));
			const { streams } = await done(byAccount('GET', '/live-activity/streams'));
			expect(streams).toEqual(before);
			expect(streams).toMatchObject([{ stream_key: 'disk', title: 'Disk' }]);
			await byAccount('DELETE', '/live-activity/stream/disk', {});
		},
	);

	it.each<[string, () => object | undefined]>([
		['all', () => undefined],
		['both', () => ({ channels: ['ops', 'sales'] })],
		['the phone of another', () => onPhone(team.bob)],
	])('by stopping the repeat of %s', async (_whose, toTarget) => {
		const target = toTarget();
		const push = { title: 'Goes on', ...(target && { target }) };
		const { repeat_id } = await done(
			byAccount('POST', '/push-notification/repeated', {
				push,
				repeat: { every_minutes: 1, times: 1 },
			}),
		);
		const path = `/push-notification/repeated/${String(repeat_id)}`;
		expect((await call('DELETE', path)).status).toBe(403);
		expect((await call('DELETE', path, undefined, team.strangersKey)).status).toBe(404);
		const before = (await pushesOn(team.bob)).length;
		expect(await settleIn(1, repeats)).toBeGreaterThan(0);
		expect((await pushesOn(team.bob)).length).toBeGreaterThan(before - 1);
	});

	it.each<[string, string]>([
		['a slash behind it', '/'],
		['a query', '?session=x&test=1'],
		['every tap', '?every_tap=true'],
		['a fragment', '#x'],
	])('by a button for the trigger of another, with %s', async (_how, more) => {
		const id = trigger('s');
		const listen = { name: 'Pay', session: SESSION };
		await done(call('PUT', `/triggers/${id}`, listen, team.sales));
		const action = buttonTo(addressOf(id) + more);
		const { status } = await call('POST', '/push-notification', { title: 'A', actions: [action] });
		if (status === 200) {
			const delivery_id = (await team.ada.inbox()).at(-1).id;
			await team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
		}
		const path = `/triggers/${id}/taps?session=${SESSION}`;
		expect((await done(call('GET', path, undefined, team.sales)))['taps']).toEqual([]);
	});

	it('by a change, or an end, that brings a button for the trigger of another', async () => {
		const id = trigger('s');
		await done(call('PUT', `/triggers/${id}`, { name: 'Pay', session: SESSION }, team.sales));
		const { activity_id } = await done(call('POST', '/live-activity/start', shows('A')));
		await done(call('PUT', '/live-activity/stream/own', shows('A')));
		for (const name of ['action', 'secondary_action']) {
			const more = { content_state: {}, [name]: buttonTo(addressOf(id)) };
			for (const [method, path, body] of [
				['POST', '/live-activity/update', { activity_id, ...more }],
				['POST', '/live-activity/end', { activity_id, ...more }],
				['PUT', '/live-activity/stream/own', more],
				['DELETE', '/live-activity/stream/own', more],
			] as const)
				expect([path, (await call(method, path, body)).status]).toEqual([path, 400]);
		}
		const callback = { url: addressOf(id) };
		expect((await call('POST', '/questions', { ...ASKED, callback })).status).toBe(400);
		await done(call('DELETE', '/live-activity/stream/own', {}));
	});

	it('by its trigger that a key of all channels has taken, and left', async () => {
		const { server } = team;
		const id = trigger('k');
		const register = (key: string) =>
			call('PUT', `/triggers/${id}`, { name: 'Go', session: SESSION }, key);
		const whole = await server.addKey(server.account.id);
		await done(register(team.ops));
		await done(register(whole));
		expect((await register(team.ops)).status).toBe(404);
		await server.revokeKey(server.account.id, whole);
		expect((await register(team.ops)).status).toBe(404);
		expect((await done(call('GET', '/triggers')))['triggers']).toEqual(
			expect.not.arrayContaining([expect.objectContaining({ trigger_id: id })]),
		);
	});
});

describe('an unusual request with a limited key reaches others', () => {
	const post = (path: string, text: string, headers: Record<string, string> = {}) =>
		team.server.app.inject({
			method: 'POST',
			url: path,
			payload: text,
			headers: {
				'content-type': 'application/json',
				authorization: `Bearer ${team.ops}`,
				...headers,
			},
		});

	it.each<[string, string]>([
		['named twice', '"target":{"channels":["ops"]},"target":{"channels":["sales"]}'],
		['named twice inside', '"target":{"channels":["ops"],"channels":["sales"]}'],
		['by an escape', '"t\\u0061rget":{"ch\\u0061nnels":["s\\u0061les"]}'],
		['inherited', '"target":{"__proto__":{"channels":["sales"]}}'],
		['inherited by all', '"__proto__":{"target":{"channels":["sales"]}}'],
		['built', '"target":{"constructor":{"prototype":{"channels":["sales"]}}}'],
		['with half a character', '"target":{"channels":["ops","sales\\ud83d"]}'],
		['with an end', '"target":{"channels":["sales\\u0000"]}'],
		['as an object', '"target":{"channels":{"0":"sales","length":1}}'],
	])('by a target that is %s', async (_how, target) => {
		await expectOnlyAda(async () => {
			for (const path of ['/api/push-notification', '/api/questions']) {
				const asked = path.endsWith('s') ? JSON.stringify(ASKED) : '{"title":"A"}';
				const { statusCode } = await post(path, `${asked.slice(0, -1)},${target}}`);
				expect([400, 403]).toContain(statusCode);
			}
		});
	});

	it('by a stream’s two lists of channels', async () => {
		await expectOnlyAda(async () => {
			for (const [channels, target] of [
				[['ops'], ['sales']],
				[['sales'], ['ops']],
				[['ops'], ['ops', 'sales']],
			])
				expect([400, 403]).toContain(
					(
						await call('PUT', '/live-activity/stream/two', {
							...shows('X'),
							channels,
							target: { channels: target },
						})
					).status,
				);
		});
	});

	it.each<[string, (sales: string) => Record<string, string>]>([
		['a list of keys', (sales) => ({ authorization: `Bearer ${team.ops}, Bearer ${sales}` })],
		['a key behind it', (sales) => ({ authorization: `Bearer ${team.ops} ${sales}` })],
		['another scheme', (sales) => ({ 'proxy-authorization': `Bearer ${sales}` })],
		['a header of its own', (sales) => ({ 'x-api-key': sales, 'x-account': 'acme' })],
		['a cookie', (sales) => ({ cookie: `key=${sales}` })],
		['another method', () => ({ 'x-http-method-override': 'DELETE' })],
		['another path', () => ({ 'x-original-url': '/api/badge', 'x-rewrite-url': '/api/badge' })],
	])('by %s in its headers', async (_what, toHeaders) => {
		await expectOnlyAda(async () => {
			const { statusCode } = await post(
				'/api/push-notification',
				'{"title":"H"}',
				toHeaders(team.sales),
			);
			expect([200, 401]).toContain(statusCode);
		});
	});

	it.each<[string, string, object, object]>([
		['as a question', '/questions', ASKED, {}],
		[
			'as a repeat',
			'/push-notification/repeated',
			{ push: { title: 'K' }, repeat: { every_minutes: 1, times: 1 } },
			{},
		],
		['of a sequence', '/push-notification', { title: 'K' }, { 'x-sequence-id': 'a' }],
		['that expires', '/push-notification', { title: 'K' }, { ttl: '60' }],
		[
			'to its channel by name',
			'/push-notification',
			{ title: 'K', target: { channels: ['ops'] } },
			{},
		],
	])('by an Idempotency-Key that it used before, now %s', async (_how, path, body, more) => {
		const headers = { 'idempotency-key': `once-${randomUUID()}` };
		await done(call('POST', '/push-notification', { title: 'K' }, team.ops, headers));
		const before = (await pushesOn(team.ada)).length;
		const { status } = await call('POST', path, body, team.ops, { ...headers, ...more });
		expect([status, (await pushesOn(team.ada)).length]).toEqual([422, before]);
	});

	it('by the same Idempotency-Key as others, at the same time', async () => {
		const headers = { 'idempotency-key': `all-${randomUUID()}` };
		const title = team.unique('At once');
		const keys = [team.ops, team.sales, team.server.account.key, team.strangersKey];
		const answers = await Promise.all(
			[...keys, ...keys].map((key) => call('POST', '/push-notification', { title }, key, headers)),
		);
		expect(answers.map(({ headers: given }) => given['beckon-idempotency']).sort()).toEqual([
			...Array(4).fill('new'),
			...Array(4).fill('replayed'),
		]);
		const got = async (phone: TestPhone) =>
			(await pushesOn(phone)).filter((one) => one === title).length;
		expect(await Promise.all([team.ada, ...others()].map(got))).toEqual([2, 2, 1, 1]);
	});
});

describe('a limited key uses up the account', () => {
	it('by the hook of an agent, with the questions of others', async () => {
		const sender = await team.server.addSenderKey(['ops']);
		const body = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} };
		const asked = [];
		for (let count = 0; count < OPEN / 2; count += 1)
			asked.push((await done(call('POST', '/questions', ASKED)))['question_id']);
		const refused = await send(team.server, '/agent-hook', { key: sender, body });
		expect(refused.status).toBe(429);
		const own = await byAccount('POST', '/questions', ASKED);
		expect(own.status).toBe(200);
		for (const id of asked) await done(call('DELETE', `/questions/${String(id)}`));
	});
});

describe('the answer to the question of a limited key', () => {
	it('counts once, and is told to nobody else, though the key is revoked in that moment', async () => {
		const { server } = team;
		const own = await server.addKey(server.account.id, ['ops']);
		const { question_id: id } = await done(call('POST', '/questions', ASKED, own));
		const waiting = call('GET', `/questions/${String(id)}?wait=50`, undefined, own);
		const [, answer] = await Promise.all([
			server.revokeKey(server.account.id, own),
			answerOn(team.ada, String(id)),
		]);
		expect(answer.body).toMatchObject({ outcome: 'answered' });
		expect([200, 401]).toContain((await waiting).status);
		expect(await done(byAccount('GET', `/questions/${String(id)}`))).toMatchObject({
			status: 'answered',
			answer: { choice: 'yes', by: { user: 'Ada' } },
		});
		expect((await call('GET', `/questions/${String(id)}`)).status).toBe(404);
	});

	it('is not that of who got its escalation, and has left that channel', async () => {
		const both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
		const escalate = { after_minutes: 1, target: { channels: ['sales'] } };
		const asked = { ...ASKED, target: { channels: ['ops'] }, escalate };
		const { question_id: id } = await done(call('POST', '/questions', asked, both));
		expect((await answerOn(team.bob, String(id))).status).toBe(404);
		await settleIn(1, questionTimes);
		await team.setChannel('sales', []);
		expect((await answerOn(team.bob, String(id))).body).toMatchObject({ outcome: 'refused' });
		// In the channel of the question itself, they are among those whom it reaches.
		await team.setChannel('sales', ['Bob']);
		expect((await answerOn(team.bob, String(id))).body).toMatchObject({ outcome: 'answered' });
	});
});

describe('what is sent again is more than was sent', () => {
	const entryOf = async (body: object, key = team.ops) =>
		String((await call('POST', '/push-notification', body, key)).headers['beckon-history-id']);
	const sendAgain = (id: string) => team.olga.call('POST', `/history/${id}/send`);

	it('twice at once: as often, to the same', async () => {
		const id = await entryOf({ title: 'Twice' });
		const before = (await pushesOn(team.ada)).length;
		await expectOnlyAda(() => Promise.all([done(sendAgain(id)), done(sendAgain(id))]));
		expect(await pushesOn(team.ada)).toHaveLength(before + 2);
	});

	it('to who has joined, or to who has left', async () => {
		const id = await entryOf({ title: 'Joined' });
		await team.setChannel('ops', ['Bob']);
		expect((await sendAgain(id)).status).toBe(422);
		await team.setChannel('ops', ['Ada', 'Bob']);
		await expectOnlyAda(() => done(sendAgain(id)));
	});

	it('of an agent whose command was too long: still without a way to allow it', async () => {
		const sender = await team.server.addSenderKey(['ops']);
		const body = {
			hook_event_name: 'PermissionRequest',
			tool_name: 'Bash',
			tool_input: { command: 'a'.repeat(20_000) },
		};
		expect((await send(team.server, '/agent-hook', { key: sender, body })).body).toEqual({});
		const { entries } = await done(team.olga.call('GET', '/history?limit=1'));
		await expectOnlyAda(() => done(sendAgain(entries[0].id)));
		const { push } = (await team.ada.inbox()).at(-1);
		expect(push.title).toBe('Bash: too long to show, answer at the computer');
		expect(push).not.toHaveProperty('actions');
		expect(push).not.toHaveProperty('question');
	});
});
