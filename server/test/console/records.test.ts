import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
});
afterEach(() => server.close());

const push = (body: object) => server.call('POST', '/push-notification', body);
const titles = async (query = '') =>
	(await owner.call('GET', `/history${query}`)).body['entries'].map(
		(entry: { title: string }) => entry.title,
	);

describe('the history', () => {
	beforeEach(async () => {
		await server.addChannel('ops', { users: ['Olga'] });
		await push({
			title: 'First',
			message: 'Ärger mit db-2',
			tags: ['alert'],
			metadata: { run: 'r-17' },
		});
		server.clock.advance(60);
		await push({
			title: 'Second',
			target: { channels: ['ops'] },
			tags: ['alert', 'env:production'],
		});
		server.clock.advance(60);
		await server.call('PUT', '/live-activity/stream/deploy', {
			content_state: STATES.segmented_progress,
		});
		await server.call('PUT', '/live-activity/stream/deploy', {
			content_state: { subtitle: 'Publishing 100%' },
		});
		server.clock.advance(60);
		await owner.call('POST', '/playground/send', { request: 'push', body: { title: 'It works' } });
	});

	it('has everything that was sent, newest first', async () => {
		expect(await titles()).toEqual(['It works', 'Deploy', 'Second', 'First']);
	});

	it.each([
		['kind=activity', ['Deploy']],
		['tags=alert', ['Second', 'First']],
		['tags=alert,env:production', ['Second']],
		['channel=ops', ['Second']],
		['key=console', ['It works']],
		['from=2026-03-01T12:02:00Z', ['It works', 'Deploy']],
		['until=2026-03-01T12:01:00Z', ['First']],
		['kind=push&tags=alert&from=2026-03-01T12:01:00Z', ['Second']],
	])('filters by %s', async (query, expected) => {
		expect(await titles(`?${query}`)).toEqual(expected);
	});

	it('filters by the key that sent it', async () => {
		const { body: keys } = await owner.call('GET', '/keys');
		expect(await titles(`?key=${keys[0].id}`)).toEqual(['Deploy', 'Second', 'First']);
	});

	it.each([
		['db-2', ['First']],
		['MIT db-2', ['First']],
		['ärger', ['First']],
		['ÄRGER', ['First']],
		['r-17', ['First']],
		['production', ['Second']],
		['publishing', ['Deploy']],
		['Deploy step', []],
		['100%', ['Deploy']],
		['%', ['Deploy']],
		['segmented_progress', []],
	])('finds the words %s', async (words, expected) => {
		expect(await titles(`?search=${encodeURIComponent(words)}`)).toEqual(expected);
	});

	it('has the words below each title, as last sent', async () => {
		const { body } = await owner.call('GET', '/history');
		expect(body['entries'].map(({ text }: { text: string | null }) => text)).toEqual([
			null,
			'Publishing 100%',
			null,
			'Ärger mit db-2',
		]);
	});

	it('filters by what waits for an answer, and by what failed on a phone', async () => {
		const webhook = { title: 'Go', type: 'webhook', url: 'https://example.com/go' };
		await push({ title: 'Question', payload: { answer: 1 }, actions: [webhook] });
		await push({ title: 'Link', actions: [{ ...webhook, type: 'open_url' }] });
		server.clock.advance(60);
		await server.call('PUT', '/live-activity/stream/ask', {
			content_state: { ...STATES.segmented_progress, title: 'Asks' },
			action: webhook,
		});
		expect(await titles('?outcome=unanswered')).toEqual(['Asks', 'Question']);
		await server.call('DELETE', '/live-activity/stream/ask');
		expect(await titles('?outcome=unanswered')).toEqual(['Question']);
		expect(await titles('?outcome=failed')).toEqual([]);
		await server.context.database.write(server.account.id, (db) =>
			db
				.updateTable('deliveries')
				.set({ state: 'failed' })
				.where('message_id', 'in', (eb) =>
					eb
						.selectFrom('messages')
						.innerJoin('history', 'history.id', 'messages.history_id')
						.select('messages.id')
						.where('history.title', '=', 'First'),
				)
				.execute(),
		);
		expect(await titles('?outcome=failed')).toEqual(['First']);
	});

	it('sends a push again to the same phones, with its buttons, tags and metadata', async () => {
		const sent = {
			title: 'Approve?',
			message: '42 €',
			target: { channels: ['ops'] },
			actions: [{ title: 'Go', type: 'webhook', method: 'POST', url: 'https://example.com/go' }],
			tags: ['alert'],
			metadata: { run: 'r-18' },
		};
		await push(sent);
		const { body } = await owner.call('GET', '/history?search=Approve');
		const id = body['entries'][0].id;
		const answer = await owner.call('POST', `/history/${id}/send`);
		expect(answer.body).toMatchObject({
			devices_notified: 1,
			effective_channel_slugs: ['ops'],
			tags: ['alert'],
		});
		const { body: later } = await owner.call('GET', '/history?search=Approve');
		expect(later['entries'][0].id).toBe(answer.body['history_id']);
		const again = await server.context.database.read
			.selectFrom('messages')
			.innerJoin('history', 'history.id', 'messages.history_id')
			.select(['messages.content_json', 'messages.actions_json', 'history.metadata_json'])
			.where('history.title', '=', 'Approve?')
			.execute();
		expect(again).toHaveLength(2);
		expect(again[1]).toEqual(again[0]);
		const { body: activities } = await owner.call('GET', '/history?kind=activity');
		const activity = activities['entries'][0].id;
		expect((await owner.call('POST', `/history/${activity}/send`)).status).toBe(404);
	});

	it('comes in pages, none of which repeats or leaves out an entry', async () => {
		const seen: string[] = [];
		for (let cursor: string | null = ''; cursor !== null;) {
			const { body } = await owner.call('GET', `/history?limit=1${cursor && `&cursor=${cursor}`}`);
			seen.push(...body['entries'].map((entry: { title: string }) => entry.title));
			cursor = body['cursor'];
		}
		expect(seen).toEqual(['It works', 'Deploy', 'Second', 'First']);
	});

	it('refuses a cursor that no page ended with', async () => {
		expect((await owner.call('GET', '/history?cursor=1%27--')).status).toBe(400);
	});

	it('says of which phone it was held back, because it was quiet', async () => {
		await server.phone.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' });
		await push({ title: 'Later' });
		const { body } = await owner.call('GET', '/history?search=Later');
		const { body: entry } = await owner.call('GET', `/history/${body['entries'][0].id}`);
		expect(entry['lifecycle'][0].deliveries).toMatchObject([{ device: 'Phone', held_back: true }]);
	});

	it('shows the life of an entry, and what became of it on each phone', async () => {
		await server.phone.call('POST', '/acknowledge', {
			deliveries: [(await server.phone.inbox())[0].id],
		});
		const { body } = await owner.call('GET', '/history?search=db-2');
		const { body: entry } = await owner.call('GET', `/history/${body['entries'][0].id}`);
		expect(entry).toMatchObject({
			title: 'First',
			metadata: { run: 'r-17' },
			key: { name: 'test' },
		});
		expect(entry['lifecycle']).toHaveLength(1);
		expect(entry['lifecycle'][0].deliveries[0]).toMatchObject({
			device: 'Phone',
			state: 'received',
			error: null,
			acknowledged_at: expect.any(String),
		});
		const { body: activities } = await owner.call('GET', '/history?kind=activity');
		const { body: deploy } = await owner.call('GET', `/history/${activities['entries'][0].id}`);
		expect(deploy['lifecycle'].map(({ kind }: { kind: string }) => kind)).toEqual([
			'activity_start',
			'activity_update',
		]);
	});

	it.each([
		['after a semicolon', 'a;=1+1', "a;'=1+1"],
		['after a semicolon and a space', 'a; @SUM(A1)', "a;' @SUM(A1)"],
		['in fullwidth', '＝1+1', "'＝1+1"],
	])('is exported as CSV, in which no text is a formula %s', async (_what, title, cell) => {
		await push({ title });
		const { body } = await owner.call('GET', '/history.csv?kind=push');
		expect((body as unknown as string).split('\r\n')[1]!.split(',')[2]).toBe(cell);
	});

	it('is exported as CSV, in which no text is a formula', async () => {
		server.clock.advance(60);
		await push({ title: '=HYPERLINK("https://evil.example")', tags: ['a', 'b'] });
		const { status, headers, body } = await owner.call('GET', '/history.csv?kind=push');
		const lines = (body as unknown as string).split('\r\n');
		expect(status).toBe(200);
		expect(headers['content-disposition']).toContain('beckon-history.csv');
		expect(lines[0]).toMatch(/^time,kind,title,/);
		expect(lines[1]).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
		expect(lines).toHaveLength(1 + 4 + 1);
	});
});

describe('usage', () => {
	it('tells what is left in the window, and requests per hour by status', async () => {
		// The full hour of the test's clock.
		const hour = new Date(server.clock.now).toISOString();
		await push({ title: 'a' });
		await push({ title: 'a', nonsense: 1 });
		await owner.call('POST', '/playground/send', { request: 'push', body: { title: 'b' } });
		const { body } = await owner.call('GET', '/usage');
		expect(body['allowances'][0]).toMatchObject({
			feature: 'notifications',
			quota: 60,
			remaining: 57,
		});
		expect(body['requests']).toEqual([
			{ hour, feature: 'notifications', status: 200, requests: 1 },
			{ hour, feature: 'notifications', status: 400, requests: 1 },
		]);
		expect(body['plan']).toMatchObject({ plan: 'paid', sends: 2, blocked: null });
	});

	it('shows a plan that the operator has changed, which holds at once', async () => {
		const account = await findAccount(server.context, server.account.id);
		await changeAccount(server.context, account, { plan: 'trial', quota: 1 });
		await push({ title: 'a' });
		expect((await push({ title: 'b' })).body['error']).toBe('trial_exhausted');
		expect((await owner.call('GET', '/usage')).body['plan'].blocked).toBe('trial_exhausted');
	});
});
