import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addUser } from '../../src/service/people/people.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the lists of what a key may name', () => {
	let server: TestServer;
	let opsKey: string;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		for (const slug of ['ops', 'dev', 'sales']) await server.addChannel(slug, { users: ['owner'] });
		opsKey = await server.addKey(server.account.id, ['ops', 'dev']);
		await server.addMetric({ key: 'cpu', name: 'CPU', format: 'percent' });
		await server.addMetric({
			key: 'revenue.today',
			name: 'Revenue',
			format: 'currency',
			unit: 'EUR',
		});
		const other = await server.addAccount();
		await server.addMetric({ key: 'others' }, other.id);
	});
	afterAll(() => server.close());

	const list = async (path: string, key?: string) => {
		const { status, body } = await server.call('GET', path, undefined, { ...(key && { key }) });
		expect(status).toBe(200);
		return body;
	};

	const put = (key: string, channels?: string[], title = key) =>
		server.call('PUT', `/live-activity/stream/${key}`, {
			content_state: { ...STATES.alert, title },
			...(channels && { channels }),
		});

	it('have the channels of the account, by slug', async () => {
		expect(await list('/channels')).toEqual({
			success: true,
			channels: [
				{ slug: 'dev', name: 'dev' },
				{ slug: 'ops', name: 'ops' },
				{ slug: 'sales', name: 'sales' },
			],
			next: null,
		});
	});

	it('have only its own channels for a restricted key', async () => {
		const { channels } = await list('/channels', opsKey);
		expect(channels.map(({ slug }: any) => slug)).toEqual(['dev', 'ops']);
	});

	it('have the names of the people, and of nobody else, for a key of all channels', async () => {
		await addUser(server.context, server.account.id, { name: 'Ada' });
		expect(await list('/people')).toEqual({
			success: true,
			people: [{ name: 'Ada' }, { name: 'owner' }],
			next: null,
		});
		const first = await list('/people?limit=1');
		expect(first).toMatchObject({ people: [{ name: 'Ada' }], next: 'Ada' });
		expect((await list(`/people?after=${first.next}`)).people).toEqual([{ name: 'owner' }]);
		const { status, body } = await server.call('GET', '/people', undefined, { key: opsKey });
		expect([status, body['error']]).toEqual([403, 'Forbidden']);
	});

	it('have the metrics of the account for every key', async () => {
		const metrics = [
			{ key: 'cpu', name: 'CPU', format: 'percent', unit: null },
			{ key: 'revenue.today', name: 'Revenue', format: 'currency', unit: 'EUR' },
		];
		expect(await list('/metrics')).toEqual({ success: true, metrics, next: null });
		expect(await list('/metrics', opsKey)).toEqual({ success: true, metrics, next: null });
	});

	it('have running, paused and idle streams with the title they show or remember', async () => {
		await put('running', undefined, 'Deploying');
		const { body } = await put('idle', ['ops']);
		await server.call('POST', '/live-activity/end', {
			activity_id: body['activity_id'],
			content_state: {},
		});
		expect(await list('/live-activity/streams')).toEqual({
			success: true,
			streams: [
				{ stream_key: 'idle', title: null, status: 'idle' },
				{ stream_key: 'running', title: 'Deploying', status: 'running' },
			],
			next: null,
		});
		await server.call('DELETE', '/live-activity/stream/running');
		await server.call('DELETE', '/live-activity/stream/idle');
	});

	it('have only the streams that lie wholly within its channels for a restricted key', async () => {
		await put('for-all');
		await put('for-ops', ['ops']);
		await put('for-both', ['dev', 'ops']);
		await put('for-sales-too', ['ops', 'sales']);
		const keys = async (key?: string) =>
			(await list('/live-activity/streams', key)).streams.map((stream: any) => stream.stream_key);
		expect(await keys()).toEqual(['for-all', 'for-both', 'for-ops', 'for-sales-too']);
		expect(await keys(opsKey)).toEqual(['for-both', 'for-ops']);
		for (const key of await keys()) await server.call('DELETE', `/live-activity/stream/${key}`);
	});

	it('come page after page, each entry once', async () => {
		const seen: string[] = [];
		let path = '/channels?limit=2';
		for (let pages = 0; pages < 2; pages += 1) {
			const { channels, next } = await list(path);
			seen.push(...channels.map(({ slug }: any) => slug));
			expect(next).toBe(pages === 0 ? 'ops' : null);
			path = `/channels?limit=2&after=${next}`;
		}
		expect(seen).toEqual(['dev', 'ops', 'sales']);
	});

	it('promise no page after the last entry', async () => {
		expect((await list('/channels?limit=3')).next).toBeNull();
	});

	it.each([
		['/channels?limit=0', 'limit must be a whole number from 1 to 200.'],
		['/metrics?limit=201', 'limit must be a whole number from 1 to 200.'],
		['/live-activity/streams?limit=1.5', 'limit must be a whole number from 1 to 200.'],
		['/channels?limit=many', 'limit must be a whole number from 1 to 200.'],
		['/channels?after=A', expect.stringMatching(/^after must be a channel slug/)],
		['/channels?before=a', 'before is not a recognized field; remove it.'],
	])('refuse %s', async (path, message) => {
		const { status, body } = await server.call('GET', path);
		expect([status, body['message']]).toEqual([400, message]);
	});

	it('refuse a request without a valid key', async () => {
		for (const path of ['/channels', '/phones', '/people', '/metrics', '/live-activity/streams'])
			expect((await server.call('GET', path, undefined, { key: null })).status).toBe(401);
	});
});

describe('the allowance of lists', () => {
	it('takes nothing from sending', async () => {
		const server = await startTestServer({ settings: { BECKON_RATE_LISTS: '1' } });
		expect((await server.call('GET', '/channels')).status).toBe(200);
		expect((await server.call('GET', '/metrics')).status).toBe(429);
		const { headers } = await server.call('POST', '/push-notification', { title: 'Hello' });
		expect(headers['ratelimit']).toContain('"account:notifications";r=59');
		await server.close();
	});
});
