import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { noPhones } from '../../src/contract/delivery-states.ts';
import { historyOf } from '../support/history.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the history of an account', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const history = (tags: string[] = []) =>
		historyOf(server.context, server.account.id, { tags, limit: 50 });
	const push = (title: string, more: Record<string, unknown> = {}) => {
		server.clock.advance(1);
		return server.call('POST', '/push-notification', { title, ...more });
	};
	const METADATA = { order: 'A-7', total: 12.5, paid: true, coupon: null };

	it('holds a push with its tags, metadata, channels and what became of it', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await push('Sale', {
			tags: ['sale', 'shop:1'],
			metadata: METADATA,
			target: { channels: ['ops'] },
		});
		await server.context.outbox.stop();
		const [entry, ...others] = await history();
		expect(others).toEqual([]);
		expect(entry).toMatchObject({
			kind: 'push',
			title: 'Sale',
			tags: ['sale', 'shop:1'],
			metadata: METADATA,
			channels: ['ops'],
			created_at: new Date(server.clock.now).toISOString(),
			ended_at: null,
		});
		expect(entry?.messages).toEqual([
			expect.objectContaining({ kind: 'push', phones: { ...noPhones(), stored: 1 } }),
		]);
	});

	it('holds a badge update', async () => {
		await server.call('POST', '/badge', { badge: 3 });
		expect(await history()).toEqual([
			expect.objectContaining({ kind: 'badge', tags: [], metadata: null }),
		]);
	});

	it('holds an activity once, with all that happened to it', async () => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.progress,
			tags: ['a'],
			metadata: METADATA,
		});
		const id = body['activity_id'];
		await server.call('POST', '/live-activity/update', {
			activity_id: id,
			content_state: { title: 'Renamed' },
		});
		server.clock.advance(60);
		await server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		const [entry, ...others] = await history();
		expect(others).toEqual([]);
		expect(entry).toMatchObject({
			id,
			kind: 'activity',
			title: 'Renamed',
			tags: ['a'],
			metadata: METADATA,
			ended_at: new Date(server.clock.now).toISOString(),
		});
		expect(entry?.messages.map(({ kind }) => kind)).toEqual([
			'activity_start',
			'activity_update',
			'activity_end',
		]);
	});

	it('is searched by tags, all of which an entry carries', async () => {
		await push('one', { tags: ['a', 'b'] });
		await push('two', { tags: ['b'] });
		await push('three');
		const titles = async (...tags: string[]) => (await history(tags)).map(({ title }) => title);
		expect(await titles()).toEqual(['three', 'two', 'one']);
		expect(await titles('b')).toEqual(['two', 'one']);
		expect(await titles('a', 'b')).toEqual(['one']);
		expect(await titles('c')).toEqual([]);
	});

	it.each<[string, string[] | undefined, string[]]>([
		['kept when they are left out', undefined, ['a', 'b']],
		['replaced when they are sent', ['c'], ['c']],
		['cleared by an empty list', [], []],
	])('has the tags of an activity %s, by update, end and stream', async (_what, tags, expected) => {
		for (const verb of ['update', 'end']) {
			const { body } = await server.call('POST', '/live-activity/start', {
				content_state: STATES.alert,
				tags: ['a', 'b'],
			});
			await server.call('POST', `/live-activity/${verb}`, {
				activity_id: body['activity_id'],
				content_state: {},
				tags,
			});
			const entry = (await history()).find(({ id }) => id === body['activity_id']);
			expect(entry?.tags).toEqual(expected);
		}
		await server.call('PUT', '/live-activity/stream/s', {
			content_state: STATES.alert,
			tags: ['a', 'b'],
		});
		const { body } = await server.call('PUT', '/live-activity/stream/s', {
			content_state: { message: 'x' },
			tags,
		});
		expect((await history()).find(({ id }) => id === body['activity_id'])?.tags).toEqual(expected);
		expect((await history(['a'])).some(({ id }) => id === body['activity_id'])).toBe(
			expected.includes('a'),
		);
	});

	it('takes new tags of an activity even after its end, so that a workflow may end twice', async () => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
		});
		const end = (more: Record<string, unknown>) =>
			server.call('POST', '/live-activity/end', {
				activity_id: body['activity_id'],
				content_state: {},
				...more,
			});
		await end({});
		await end({ tags: ['late'] });
		expect((await history())[0]?.tags).toEqual(['late']);
	});

	it('never reaches a phone with its metadata, by any way of sending', async () => {
		const metadata = { marker: 'never-on-a-phone' };
		await push('x', { metadata });
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
			metadata,
		});
		const id = body['activity_id'];
		await server.call('POST', '/live-activity/update', {
			activity_id: id,
			content_state: {},
			metadata,
		});
		await server.call('POST', '/live-activity/end', {
			activity_id: id,
			content_state: {},
			metadata,
		});
		await server.call('PUT', '/live-activity/stream/s', { content_state: STATES.alert, metadata });
		await server.call('DELETE', '/live-activity/stream/s', { metadata });
		const inbox = await server.phone.inbox();
		expect(inbox).toHaveLength(6);
		expect(JSON.stringify([inbox, await server.phone.snapshot()])).not.toContain(
			'never-on-a-phone',
		);
		expect((await history()).map((entry) => entry.metadata)).toEqual([
			metadata,
			metadata,
			metadata,
		]);
	});

	it('holds nothing of a request that was refused', async () => {
		await server.addChannel('empty');
		await push('');
		await push('x', { target: { channels: ['empty'] } });
		await push('x', { target: { channels: ['nowhere'] } });
		await server.call('POST', '/live-activity/start', { content_state: {} });
		expect(await history()).toEqual([]);
	});

	it('is of its own account only', async () => {
		const other = await server.addAccount();
		await push('Ours');
		expect(await historyOf(server.context, other.id, { tags: [], limit: 50 })).toEqual([]);
	});
});
