import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inbox as inboxSchema, snapshot as snapshotSchema } from '../../src/contract/device.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('what a phone reads', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	const push = (title: string, more: object = {}) =>
		server.call('POST', '/push-notification', { title, ...more });
	const titles = (deliveries: any[]) => deliveries.map(({ push: content }) => content.title);

	describe('the inbox', () => {
		it('holds what was sent, oldest first, in the form of the protocol', async () => {
			await push('first', { message: 'm', tags: ['a'], metadata: { secret: 1 }, badge: 3 });
			await server.call('POST', '/badge', { badge: 7 });
			const content_state = { type: 'value', title: 'V', value: 1 };
			await server.call('PUT', '/live-activity/stream/s', {
				content_state,
				alert: { title: 'look' },
			});
			await server.call('PUT', '/live-activity/stream/s', { content_state: { value: 2 } });
			await server.call('DELETE', '/live-activity/stream/s');
			const { status, body } = await server.phone.call('GET', '/inbox');
			expect(status).toBe(200);
			expect(inboxSchema.parse(body)).toEqual(body);
			expect(body['deliveries'].map(({ kind }: any) => kind)).toEqual([
				...['push', 'badge', 'activity_start', 'activity_update', 'activity_end'],
			]);
			const [first, badge, start, , end] = body['deliveries'];
			expect(first.push).toEqual({
				title: 'first',
				message: 'm',
				tags: ['a'],
				badge: 3,
				interruption_level: 'active',
				sound: 'default',
			});
			expect(first.sent_at).toEqual(server.timestamp());
			expect(badge.badge).toBe(7);
			expect(start).toMatchObject({
				alert: { title: 'look' },
				activity: { stream_key: 's', content_state, dismiss_at: null },
			});
			expect(end.activity).toMatchObject({
				content_state: { value: 2 },
				dismiss_at: server.timestamp(120),
			});
		});

		it('is read in pages, each from the cursor of the one before', async () => {
			for (let index = 0; index < 7; index += 1) await push(`${index}`);
			const pages: any[] = [];
			let after = 0;
			for (let more = true; more;) {
				const { body } = await server.phone.call('GET', `/inbox?after=${after}&limit=3`);
				pages.push(body);
				({ more, cursor: after } = body as { more: boolean; cursor: number });
			}
			expect(pages.map(({ deliveries }) => titles(deliveries))).toEqual([
				['0', '1', '2'],
				['3', '4', '5'],
				['6'],
			]);
			expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
			for (const { deliveries, cursor } of pages) expect(cursor).toBe(deliveries.at(-1).id);
			expect((await server.phone.call('GET', `/inbox?after=${after}`)).body).toEqual({
				deliveries: [],
				cursor: after,
				more: false,
			});
		});

		it('says that there is no more when a page ends exactly with the last', async () => {
			for (let index = 0; index < 3; index += 1) await push(`${index}`);
			expect((await server.phone.call('GET', '/inbox?limit=3')).body['more']).toBe(false);
			expect((await server.phone.call('GET', '/inbox?limit=2')).body['more']).toBe(true);
		});

		it.each([
			['after=-1', /^after must be 0 or more|^after must be at least 0/],
			['after=x', /^after must be a number/],
			['limit=0', /^limit must be .*1/],
			['limit=501', /^limit must be .*500/],
			['page=2', /^page is not a recognized field/],
		])('refuses %s', async (query, message) => {
			const { status, body } = await server.phone.call('GET', `/inbox?${query}`);
			expect(status).toBe(400);
			expect(body['message']).toMatch(message);
		});

		it('is of this phone alone', async () => {
			const other = await server.pairPhone();
			await server.addChannel('mine', { devices: [server.phone.id] });
			await push('for one', { target: { channels: ['mine'] } });
			await push('for both');
			expect(titles(await server.phone.inbox())).toEqual(['for one', 'for both']);
			expect(titles(await other.inbox())).toEqual(['for both']);
		});
	});

	describe('the acknowledgement', () => {
		it('counts only the phone’s own deliveries, and remembers the first time', async () => {
			const other = await server.pairPhone();
			await push('A');
			const [mine] = await server.phone.inbox();
			const [theirs] = await other.inbox();
			const acknowledge = (...deliveries: number[]) =>
				server.phone.call('POST', '/acknowledge', { deliveries });
			expect((await acknowledge(mine.id, theirs.id, 999)).body).toEqual({ acknowledged: 1 });
			server.clock.advance(10);
			expect((await acknowledge(mine.id)).body).toEqual({ acknowledged: 1 });
			const rows = await server.context.database.read
				.selectFrom('deliveries')
				.select(['id', 'acknowledged_at'])
				.orderBy('id')
				.execute();
			expect(new Map(rows.map((row) => [row.id, row.acknowledged_at]))).toEqual(
				new Map([
					[mine.id, server.clock.now - 10_000],
					[theirs.id, null],
				]),
			);
		});

		it('refuses what is not a list of ids', async () => {
			for (const deliveries of [[], [0], ['1'], [1.5], 'all', undefined]) {
				expect((await server.phone.call('POST', '/acknowledge', { deliveries })).status).toBe(400);
			}
		});
	});

	describe('the snapshot', () => {
		it('is empty for a new phone', async () => {
			const snapshot = await server.phone.snapshot();
			expect(snapshotSchema.parse(snapshot)).toEqual(snapshot);
			expect(snapshot).toEqual({
				device: {
					id: server.phone.id,
					name: 'Phone',
					platform: 'web',
					user: { id: expect.stringMatching(/^usr_/), name: 'owner' },
					account: { name: 'acme' },
				},
				...{
					server_time: server.timestamp(),
					cursor: 0,
					badge: 0,
					notifications: [],
					notification_count: 0,
					questions: [],
					activities: [],
					metrics: [],
					preferences: { seen_once: false, metrics: { order: [], hidden: [] } },
				},
			});
		});

		it('shows pushes newest first, what runs or has not left yet, metrics, and the cursor', async () => {
			await server.addMetric({ key: 'cpu', name: 'CPU', format: 'percent' });
			await server.call('POST', '/metrics/cpu/value', { value: 41 });
			const measuredAt = server.timestamp();
			await push('old');
			await push('new', { badge: 5 });
			const put = (key: string) =>
				server.call('PUT', `/live-activity/stream/${key}`, {
					content_state: { type: 'value', title: key, value: 1 },
				});
			await put('runs');
			server.clock.advance(1);
			await put('ended');
			await server.call('DELETE', '/live-activity/stream/ended');
			const snapshot = await server.phone.snapshot();
			expect(snapshotSchema.parse(snapshot)).toEqual(snapshot);
			expect(titles(snapshot.notifications)).toEqual(['new', 'old']);
			expect(snapshot.badge).toBe(5);
			expect(snapshot.metrics).toEqual([
				{
					key: 'cpu',
					name: 'CPU',
					format: 'percent',
					unit: null,
					value: 41,
					measured_at: measuredAt,
				},
			]);
			const inbox = await server.phone.inbox();
			expect(snapshot.cursor).toBe(inbox.at(-1).id);
			const shown = async () =>
				(await server.phone.snapshot()).activities.map((activity: any) => activity.stream_key);
			expect(await shown()).toEqual(['runs', 'ended']);
			server.clock.advance(119);
			expect(await shown()).toEqual(['runs', 'ended']);
			server.clock.advance(1);
			expect(await shown()).toEqual(['runs']);
		});

		it('shows a running timer in absolute times, whenever it is asked for', async () => {
			// Stands still until moved.
			const { clock } = server;
			const content_state = { type: 'timer', title: 'T', duration_seconds: 600 };
			await server.call('PUT', '/live-activity/stream/t', { content_state });
			const shown = async () => (await server.phone.snapshot()).activities[0].content_state.timer;
			const first = await shown();
			expect(first).toMatchObject({
				started_at: server.timestamp(),
				ends_at: server.timestamp(600),
				elapsed_seconds: 0,
			});
			clock.advance(100);
			expect(await shown()).toEqual({ ...first, elapsed_seconds: 100 });
			await server.call('PUT', '/live-activity/stream/t', { content_state: { is_running: false } });
			clock.advance(1_000);
			expect(await shown()).toMatchObject({ is_running: false, elapsed_seconds: 100 });
		});
	});
});
