import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_STORED_BYTES } from '../../src/contract/images.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { toPhoneSlug } from '../../src/service/sending/audience.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import { insertImage } from '../../src/store/images.ts';
import { findTrigger, insertTrigger } from '../../src/store/triggers.ts';
import { settleDue } from '../support/later.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import {
	type Method,
	startTestServer,
	type TestPhone,
	type TestServer,
} from '../support/server.ts';
import { type Console, signedIn } from '../console/support/console.ts';
import { send } from '../senders/support/send.ts';

/** Attempts with a key that is limited to the channel of some, to reach, learn, change or use up what is not its own. */

const ASKED = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Approve' }] };
const OPEN = 6;
const SESSION = 'session-of-n8n-1';
const TRIGGER = `trg_${'s'.repeat(43)}`;

/** Olga is in no channel; Ada is in `ops`, and Bob, whom the key must not know, is in `sales`. */
let server: TestServer;
let olga: Console;
let ada: TestPhone;
let bob: TestPhone;
let ops: string;
let sales: string;

beforeAll(async () => {
	const settings = {
		...UNLIMITED,
		BECKON_QUESTIONS_OPEN: String(OPEN),
		BECKON_PUBLIC_URL: 'https://beckon.example.com',
	};
	server = await startTestServer({ settings });
	olga = await signedIn(server);
	for (const name of ['Ada', 'Bob Secret']) await olga.call('POST', '/users', { name });
	ada = await server.pairPhone({ user: 'Ada', name: 'Phone of Ada' });
	bob = await server.pairPhone({ user: 'Bob Secret', name: 'Hidden phone' });
	await server.addChannel('ops', { users: ['Ada'] });
	await server.addChannel('sales', { users: ['Bob Secret'] });
	ops = await server.addKey(server.account.id, ['ops']);
	sales = await server.addKey(server.account.id, ['sales']);
});
afterEach(async () => {
	const { read } = server.context.database;
	const open = read.selectFrom('questions').select('id').where('ended_at', 'is', null);
	for (const { id } of await open.execute()) await server.call('DELETE', `/questions/${id}`);
});
afterAll(() => server.close());

const call = (method: Method, path: string, body?: object, key = ops) =>
	server.call(method, path, body, { key });
const stateOf = async (id: string) => (await server.call('GET', `/questions/${id}`)).body;
const ask = (more: object = {}, key = ops) =>
	call('POST', '/questions', { ...ASKED, ...more }, key);

/** What a phone has got, but for changes of answers. */
const inboxOf = async (phone: TestPhone) =>
	(await phone.inbox()).filter(({ kind }) => kind !== 'push_update');

/** What Bob and Olga see of it, whatever is tried. */
async function expectNothingBeyond(attempt: () => Promise<unknown>): Promise<void> {
	const seen = async () => [await inboxOf(bob), await inboxOf(server.phone)];
	const before = await seen();
	await attempt();
	expect(await seen()).toEqual(before);
}

describe('a limited key reaches others', () => {
	const bobs = () => toPhoneSlug(bob.id);
	const REQUESTS: Record<string, (channels: string[]) => [Method, string, object]> = {
		'a push': (channels) => ['POST', '/push-notification', { title: 'A', target: { channels } }],
		'a repeat': (channels) => [
			'POST',
			'/push-notification/repeated',
			{ push: { title: 'A', target: { channels } }, repeat: { every_minutes: 1, times: 1 } },
		],
		'a badge': (channels) => ['POST', '/badge', { badge: 3, target: { channels } }],
		'a question': (channels) => ['POST', '/questions', { ...ASKED, target: { channels } }],
		'an escalation': (channels) => [
			'POST',
			'/questions',
			{ ...ASKED, escalate: { after_minutes: 1, target: { channels } } },
		],
		'a Live Activity': (channels) => [
			'POST',
			'/live-activity/start',
			{ content_state: STATES.alert, target: { channels } },
		],
		'a stream': (channels) => [
			'PUT',
			'/live-activity/stream/mine',
			{ content_state: STATES.alert, channels },
		],
	};

	it.each(Object.keys(REQUESTS))('by %s, and learns whether they exist', async (what) => {
		await expectNothingBeyond(async () => {
			const words = new Map<string, string>();
			const unknown = `phone-${'0'.repeat(24)}`;
			for (const outside of ['sales', 'nobody', bobs(), unknown, toPhoneSlug(server.phone.id)]) {
				const { status, body } = await call(...REQUESTS[what]!(['ops', outside]));
				expect([outside, status]).toEqual([outside, 403]);
				words.set(outside, JSON.stringify(body).replaceAll(outside, 'X'));
			}
			expect(new Set(words.values()).size).toBe(1);
		});
		expect((await call('GET', '/live-activity/streams')).body['streams']).toEqual([]);
	});

	it('by an escalation to a phone that has left its channel', async () => {
		await olga.call('POST', '/users', { name: 'Leaver' });
		const leaver = await server.pairPhone({ user: 'Leaver' });
		await olga.call('PUT', '/channels/ops', { users: ['Ada', 'Leaver'] });
		const target = { channels: [toPhoneSlug(ada.id)] };
		const channels = [toPhoneSlug(leaver.id), 'ops'];
		const { body } = await ask({ target, escalate: { after_minutes: 10, target: { channels } } });
		await olga.call('PUT', '/channels/ops', { users: ['Ada'] });
		server.clock.advance(10 * 60);
		await settleDue(server.context, questionTimes);
		expect(await inboxOf(leaver)).toEqual([]);
		expect(await stateOf(body['question_id'])).toMatchObject({
			escalated: { devices_notified: 1 },
		});
	});

	it('by an escalation to a channel that it has lost', async () => {
		const both = await server.addKey(server.account.id, ['ops', 'sales']);
		const escalate = { after_minutes: 10, target: { channels: ['sales'] } };
		await ask({ target: { channels: ['ops'] }, escalate }, both);
		const { context, account } = server;
		await context.database.write(account.id, async (db) => {
			const channel = db.selectFrom('channels').select('id').where('slug', '=', 'sales');
			const key = db.selectFrom('api_keys').select('id').where('last_four', '=', both.slice(-4));
			await db
				.deleteFrom('api_key_channels')
				.where('channel_id', 'in', channel)
				.where('api_key_id', 'in', key)
				.execute();
		});
		await expectNothingBeyond(async () => {
			server.clock.advance(10 * 60);
			await settleDue(server.context, questionTimes);
		});
	});

	it('by taking the place of a push to all of them, or to others', async () => {
		const headers = { 'x-sequence-id': 'deploy-7' };
		const push = (body: object, key?: string) =>
			server.call('POST', '/push-notification', body, { headers, ...(key && { key }) });
		await push({ title: 'To all' });
		await push({ title: 'To both', target: { channels: ['ops', 'sales'] } });
		await push({ title: 'Mine' }, ops);
		const titles = (await ada.snapshot()).notifications.map(({ push }: any) => push.title);
		expect(titles).toEqual(expect.arrayContaining(['To all', 'To both', 'Mine']));
		const sender = await server.addSenderKey(['ops']);
		for (const topic of ['sales', 'ops,sales'])
			await send(server, `/ntfy/${topic}/deploy-7`, { method: 'DELETE', key: sender });
		const left = (await bob.snapshot()).notifications.map(({ push }: any) => push.title);
		expect(left).toEqual(expect.arrayContaining(['To all', 'To both']));
	});
});

describe('a limited key changes what others have made', () => {
	it.each([
		['all', undefined],
		['both', ['ops', 'sales']],
		['others', ['sales']],
	])('a stream of %s, running, paused and resumed', async (to, channels) => {
		const key = `stream-${to}`;
		const put = { content_state: STATES.alert, ...(channels && { channels }) };
		await server.call('PUT', `/live-activity/stream/${key}`, put);
		/** A question finds a stream that is paused, or its own, or none, in the same way. */
		const attempts = async (asked = 403) =>
			expectNothingBeyond(async () => {
				const asking = { live_activity: { stream_key: key, keep: true } };
				expect((await ask(asking)).status).toBe(asked);
				const content_state = { title: 'Changed' };
				for (const { status } of [
					await call('PUT', `/live-activity/stream/${key}`, { content_state }),
					await call('PUT', `/live-activity/stream/${key}`, { content_state, channels: ['ops'] }),
					await call('DELETE', `/live-activity/stream/${key}`),
				])
					expect(status).toBe(403);
				expect((await call('GET', '/live-activity/streams')).body['streams']).toEqual([]);
			});
		await attempts();
		await pauseStream(server.context, server.account.id, key);
		await attempts(200);
		await resumeStream(server.context, server.account.id, key);
		await attempts();
		const { streams } = (await server.call('GET', '/live-activity/streams')).body;
		expect(streams).toMatchObject([{ stream_key: key, title: STATES.alert.title }]);
		await server.call('DELETE', `/live-activity/stream/${key}`);
	});

	it('a question of a key with the same channels', async () => {
		const { body } = await ask({}, await server.addKey(server.account.id, ['ops']));
		const path = `/questions/${body['question_id']}`;
		for (const [method, tried, given] of [
			['GET', path],
			['GET', `${path}?wait=50`],
			['DELETE', path],
			['POST', `${path}/answer`, { fields: {} }],
		] as const)
			expect((await call(method, tried, given)).status).toBe(404);
		expect((await call('GET', '/questions')).body['questions']).toEqual([]);
		expect(await stateOf(body['question_id'])).toMatchObject({ status: 'open' });
	});

	it('a question that another key has put on its own stream', async () => {
		await call('PUT', '/live-activity/stream/shared', { content_state: STATES.alert });
		const { body } = await server.call('POST', '/questions', {
			...ASKED,
			message: 'To production.',
			target: { channels: ['ops'] },
			live_activity: { stream_key: 'shared' },
		});
		const [{ activity_id }] = (await ada.snapshot()).activities.filter(
			({ dismiss_at: at }: any) => at === null,
		);
		const change = { activity_id, content_state: { message: 'To the test system.' } };
		expect((await call('POST', '/live-activity/update', change)).status).toBe(200);
		const tap = { tap_id: randomUUID(), activity_id, action: 'action' };
		expect((await ada.call('POST', '/taps', tap)).status).toBe(404);
		expect(await stateOf(body['question_id'])).toMatchObject({ status: 'open' });
		await call('DELETE', '/live-activity/stream/shared');
	});

	it('a trigger of another key: by naming it, listening, testing, or ending its taps', async () => {
		const path = `/triggers/${TRIGGER}`;
		expect((await call('PUT', path, { name: 'Pay', session: SESSION }, sales)).status).toBe(200);
		const action = { title: 'Go', type: 'webhook', url: `https://x.example/api${path}` };
		const state = { content_state: STATES.alert, action };
		const repeat = { every_minutes: 1, times: 1 };
		for (const [method, tried, given] of [
			['POST', '/push-notification', { title: 'A', actions: [action] }],
			['POST', '/push-notification/repeated', { push: { title: 'A', actions: [action] }, repeat }],
			['PUT', '/live-activity/stream/s', state],
			['POST', '/live-activity/start', state],
		] as const)
			expect((await call(method, tried, given)).status).toBe(400);
		for (const [method, tried, given] of [
			['PUT', path, { name: 'Mine', session: SESSION }],
			['PUT', path, { name: 'Mine', session: SESSION, test: true }],
			['GET', `${path}/taps?session=${SESSION}`],
			['GET', `${path}/taps?test=1`],
			['POST', `${path}/done`, { taps: [], end_session: SESSION }],
		] as const)
			expect((await call(method, tried, given)).status).toBe(404);
		const { triggers } = (await call('GET', '/triggers', undefined, sales)).body;
		expect(triggers).toEqual([{ trigger_id: TRIGGER, name: 'Pay', listening: true }]);
		await server.revokeKey(server.account.id, sales);
		const tested = { name: 'Mine', session: SESSION, test: true };
		expect((await call('PUT', path, tested)).status).toBe(404);
		sales = await server.addKey(server.account.id, ['sales']);
	});
});

describe('a limited key learns of others', () => {
	it.each(['/channels', '/phones', '/people', '/live-activity/streams', '/triggers', '/questions'])(
		'from the list %s, or from what it says after another entry',
		async (list) => {
			const put = { content_state: { ...STATES.alert, title: 'Salary' }, channels: ['sales'] };
			await server.call('PUT', '/live-activity/stream/salary', put);
			await ask({ title: 'Salary?', target: { channels: ['sales'] } }, sales);
			for (const after of ['', 'a', 'phone-0', 'sal', 'trg_0', 'zzz'])
				for (const limit of ['', '&limit=1']) {
					const query = after === '' ? '' : `?after=${after}${limit}`;
					const { body } = await call('GET', `${list}${query}`);
					expect(JSON.stringify(body)).not.toMatch(/secret|hidden|sales|salary|owner|Pay/i);
				}
			await server.call('DELETE', '/live-activity/stream/salary');
		},
	);

	it('from whom it names as the one who may answer', async () => {
		const words = [];
		for (const name of ['Bob Secret', 'Olga', 'Nobody At All']) {
			for (const more of [{}, { target: { channels: [toPhoneSlug(ada.id)] } }]) {
				const { status, body } = await ask({ answerable_by: ['Ada', name], ...more });
				words.push(JSON.stringify([status, body]).replaceAll(name, 'X'));
			}
		}
		expect(new Set(words.map((one) => one.replace(/phone-\w+/, 'ops'))).size).toBe(1);
		expect(words[0]).toContain('422');
	});
});

describe('a limited key uses up the account', () => {
	it('with questions that are asked at once, or with the same Idempotency-Key', async () => {
		const headers = { 'idempotency-key': '"many"' };
		const one = () => server.call('POST', '/questions', ASKED, { key: ops, headers });
		const asked = await Promise.all([
			...Array.from({ length: 8 }, () => ask()),
			...Array.from({ length: 3 }, () => ask({}, sales)),
			one(),
			one(),
		]);
		const ids = new Set(asked.map(({ body }) => body['question_id']).filter(Boolean));
		expect(ids.size).toBe(OPEN / 2);
		const own = await ask({}, server.account.key);
		expect(own.status).toBe(200);
	});

	it('with questions that go on after it is revoked, and a new one', async () => {
		const first = await server.addKey(server.account.id, ['ops']);
		const ids = [];
		for (let count = 0; count < OPEN / 2; count += 1)
			ids.push((await ask({}, first)).body['question_id']);
		await server.revokeKey(server.account.id, first);
		const next = await server.addKey(server.account.id, ['ops']);
		expect((await ask({}, next)).status).toBe(429);
		const own = await ask({}, server.account.key);
		expect(own.status).toBe(200);
	});

	it('with triggers, which no longer count once it is revoked', async () => {
		const { context, account } = server;
		const id = (n: number) => `trg_${String(n).padStart(43, '0')}`;
		const register = (n: number, key: string) =>
			call('PUT', `/triggers/${id(n)}`, { name: 'Ship', session: SESSION }, key);
		const first = await server.addKey(account.id, ['ops']);
		expect((await register(0, first)).status).toBe(200);
		// As many as half of what an account may have.
		await context.database.write(account.id, async (db) => {
			const own = await findTrigger(db, account.id, id(0));
			for (let n = 1; n < 500; n += 1) await insertTrigger(db, { ...own!, id: id(n) });
		});
		const refused = await register(500, sales);
		expect(refused.status).toBe(429);
		expect(refused.body['message']).toContain("500 triggers, half of this account's maximum");
		expect((await register(501, account.key)).status).toBe(200);
		await server.revokeKey(account.id, first);
		expect((await register(502, sales)).status).toBe(200);
	});

	it('with pictures', async () => {
		const { context, account } = server;
		const bytes = Buffer.from('GIF89a\x01\x00', 'latin1');
		await context.database.write(account.id, (db) =>
			insertImage(db, {
				path_hash: 'filled',
				account_id: account.id,
				history_id: null,
				type: 'image/gif',
				bytes,
				size: MAX_STORED_BYTES / 2,
				created_at: server.clock.now,
			}),
		);
		const store = (key: string) =>
			server.app.inject({
				method: 'POST',
				url: '/api/images',
				headers: { authorization: `Bearer ${key}`, 'content-type': 'image/gif' },
				payload: bytes,
			});
		const refused = await store(ops);
		expect(refused.statusCode).toBe(409);
		expect(refused.json().message).toContain('half');
		expect((await store(account.key)).statusCode).toBe(200);
	});
});
