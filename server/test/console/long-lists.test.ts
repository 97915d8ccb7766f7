import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeState } from '../../src/service/shown/content-state.ts';
import { insertActivities, saveStreams } from '../../src/store/activities/activities.ts';
import { insertHistoryEntries } from '../../src/store/history/history.ts';
import { type LifecycleCursor, lifecyclePart } from '../../src/store/history/lifecycle.ts';
import { insertUser } from '../../src/store/people/users.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

const MANY = 30;
const PER_PAGE = 24;

const numbers = Array.from({ length: MANY }, (_, n) => String(n).padStart(2, '0'));

let server: TestServer;
let owner: Console;

const get = async (path: string) => (await owner.call('GET', path)).body as any;

beforeAll(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
	const account_id = server.account.id;
	const now = server.clock.now;
	await server.context.database.write(account_id, async (db) => {
		for (const n of numbers)
			await insertUser(db, {
				id: `usr_${n}`,
				account_id,
				name: `Person ${n}`,
				created_at: now + 1 + Number(n),
			});
		const devices = numbers.map((n) => ({
			id: `dev_${n}`,
			account_id,
			user_id: `usr_${n}`,
			name: `Tablet ${n}`,
			platform: 'web' as const,
			token_hash: `hash ${n}`,
			status: 'active' as const,
			paired_at: now,
			last_seen_at: now,
		}));
		await db.insertInto('devices').values(devices).execute();
		const channels = numbers.map((n) => ({
			id: `chn_${n}`,
			account_id,
			slug: `channel-${n}`,
			name: `Channel ${n}`,
			created_at: now,
		}));
		await db.insertInto('channels').values(channels).execute();
		await db
			.insertInto('channel_devices')
			.values(devices.map(({ id }) => ({ channel_id: 'chn_00', device_id: id })))
			.execute();
		await db
			.insertInto('channel_users')
			.values(numbers.map((n) => ({ channel_id: 'chn_00', user_id: `usr_${n}` })))
			.execute();
		const metrics = numbers.map((n) => ({
			account_id,
			key: `metric.${n}`,
			name: n,
			format: 'number' as const,
			created_at: now,
		}));
		await db.insertInto('metrics').values(metrics).execute();
		await insertHistoryEntries(
			db,
			numbers.map((n) => ({
				id: `his_${n}`,
				account_id,
				api_key_id: null,
				kind: 'activity' as const,
				title: n,
				channels: null,
				created_at: now,
			})),
		);
		const state_json = JSON.stringify(changeState(undefined, STATES.progress, now));
		await insertActivities(
			db,
			numbers.map((n) => ({
				id: `his_${n}`,
				account_id,
				stream_key: null,
				state_json,
				actions_json: '{}',
				channels_json: null,
				started_at: now + Number(n),
				updated_at: now,
				ended_at: null,
				end_reason: null,
				dismiss_at: null,
			})),
		);
		await saveStreams(
			db,
			numbers.map((n) => ({
				account_id,
				stream_key: `stream-${n}`,
				activity_id: null,
				state_json,
				actions_json: null,
				tags_json: null,
				channels_json: null,
				paused_at: null,
				updated_at: now,
			})),
		);
	});
});
afterAll(() => server.close());

describe('a long list', () => {
	it.each([
		['/channels?', 'channels', ({ slug }: any) => slug, 'channel-'],
		['/metrics?', 'metrics', ({ key }: any) => key, 'metric.'],
		['/live?streams_', 'streams', ({ stream_key: key }: any) => key, 'stream-'],
	] as const)(
		'of %s comes page by page, with the number of all',
		async (path, name, toKey, prefix) => {
			const keys = numbers.map((n) => prefix + n);
			const total = name === 'streams' ? 'streams_total' : 'total';
			const page = name === 'streams' ? 'streams_page' : 'page';
			const first = await get(`${path}page=1`);
			expect([first[name].map(toKey), first[total]]).toEqual([keys.slice(0, PER_PAGE), MANY]);
			const last = await get(`${path}page=9`);
			expect([last[name].map(toKey), last[page]]).toEqual([keys.slice(PER_PAGE), 2]);
		},
	);

	it('of running activities begins with the newest', async () => {
		const ids = numbers.map((n) => `his_${n}`).reverse();
		const idsOn = async (page: number) =>
			(await get(`/live?page=${page}`)).activities.map(({ activity }: any) => activity.activity_id);
		expect([...(await idsOn(1)), ...(await idsOn(2))]).toEqual(ids);
	});

	it('of people comes page by page, and whole to choose from', async () => {
		const first = await get('/users');
		const second = await get('/users?page=2');
		const names = [...first.people, ...second.people].map(({ name }: any) => name);
		expect(names).toEqual(['Olga', ...numbers.map((n) => `Person ${n}`)]);
		expect(first.total).toBe(MANY + 1);
		expect(second.people[0]).toMatchObject({ phones: 1, channels: ['channel-00'], member: null });
		const all = await get('/user-names');
		expect(all.map(({ name }: any) => name).toSorted()).toEqual(names.toSorted());
		expect(all.filter((one: any) => one.signs_in).map(({ name }: any) => name)).toEqual(['Olga']);
	});

	it('of people or channels is searched by all words of a name', async () => {
		const { people, total } = await get('/users?search=07%20person');
		expect([people.map(({ name }: any) => name), total]).toEqual([['Person 07'], 1]);
		for (const search of ['channel%2007', '-07'])
			expect((await get(`/channels?search=${search}`)).channels).toMatchObject([
				{ slug: 'channel-07' },
			]);
		expect(await get('/channels?search=person&page=2')).toEqual({
			channels: [],
			total: 0,
			of: MANY,
			page: 1,
		});
	});

	it('of a channel’s members shows the first, and counts all; the channel itself has them all', async () => {
		const [channel, empty] = (await get('/channels')).channels;
		expect(channel.users).toEqual(numbers.slice(0, PER_PAGE).map((n) => `Person ${n}`));
		expect(channel.devices.map(({ name }: any) => name)).toEqual(
			numbers.slice(0, PER_PAGE).map((n) => `Tablet ${n}`),
		);
		const counts = { user_count: MANY, device_count: MANY, reaches: MANY, only_while_open: MANY };
		expect(channel).toMatchObject(counts);
		expect(empty).toMatchObject({ users: [], user_count: 0, device_count: 0, reaches: 0 });
		const whole = await get('/channels/channel-00');
		expect(whole).toMatchObject(counts);
		expect([whole.users, whole.devices]).toMatchObject([{ length: MANY }, { length: MANY }]);
		expect((await owner.call('GET', '/channels/none')).status).toBe(404);
	});

	it('of channels is whole to choose from', async () => {
		const slugs = (await get('/channel-names')).map(({ slug }: any) => slug);
		expect(slugs).toEqual(numbers.map((n) => `channel-${n}`));
	});
});

describe('the life of an entry', () => {
	/** The messages of all parts, the oldest first, and the number of parts. */
	async function lifeOf(id: string) {
		const messages: any[] = [];
		let [parts, before] = [0, ''];
		for (;;) {
			const entry = await get(`/history/${id}${before && `?before=${before}`}`);
			messages.unshift(...entry.lifecycle);
			parts += 1;
			if (entry.earlier === null) return { messages, parts, phones: entry.phones, entry };
			before = entry.earlier;
		}
	}

	it('comes in parts, the newest first, none of which repeats or leaves out a delivery', async () => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.progress,
		});
		for (let percentage = 1; percentage < 10; percentage += 1)
			await server.call('POST', '/live-activity/update', {
				activity_id: body.activity_id,
				content_state: { percentage },
			});
		const { messages, parts, phones, entry } = await lifeOf(body.activity_id);
		expect(parts).toBe(4);
		const deliveries = messages.flatMap((message: any) =>
			message.deliveries.map(({ device }: any) => `${message.id} ${device}`),
		);
		expect(new Set(deliveries).size).toBe(10 * (MANY + 1));
		expect(deliveries).toHaveLength(10 * (MANY + 1));
		const ids = messages.map(({ id }: any) => id);
		expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
		expect(entry.messages).toBe(10);
		expect(Object.values<number>(phones).reduce((sum, count) => sum + count)).toBe(MANY + 1);
	});

	it('has messages without deliveries, too', async () => {
		const id = 'his_00';
		const rows = [1, 2, 3].map(() => ({
			account_id: server.account.id,
			history_id: id,
			kind: 'activity_update' as const,
			content_json: '{}',
			created_at: server.clock.now,
		}));
		await server.context.database.write(server.account.id, (db) =>
			db.insertInto('messages').values(rows).execute(),
		);
		const { messages, entry } = await lifeOf(id);
		expect(messages.map(({ deliveries }: any) => deliveries)).toEqual([[], [], []]);
		expect(entry.messages).toBe(3);
	});

	it('is the same in parts of any size', async () => {
		const { read } = server.context.database;
		const message_ids: number[] = [];
		for (const kind of ['activity_start', 'activity_update', 'activity_end'] as const) {
			const { id } = await read
				.insertInto('messages')
				.values({
					account_id: server.account.id,
					history_id: 'his_01',
					kind,
					content_json: '{}',
					created_at: server.clock.now,
				})
				.returning('id')
				.executeTakeFirstOrThrow();
			message_ids.push(id);
		}
		const [first, second, third] = message_ids as [number, number, number];
		const to = (device_id: string) =>
			({ message_id: second, device_id, state: 'stored', next_attempt_at: 0 }) as const;
		await read
			.insertInto('deliveries')
			.values([to('dev_00'), to('dev_01'), to('dev_01')])
			.execute();
		for (const limit of [1, 2, 3, 4, 5, 6]) {
			const found: Array<[message: number, device: string | null]> = [];
			let before: LifecycleCursor | undefined;
			do {
				const rows = await lifecyclePart(read, 'his_01', { before, limit });
				found.push(...rows.map((row): [number, string | null] => [row.message_id, row.device_id]));
				before = rows.at(-1);
			} while (before);
			expect(found).toEqual([
				[third, null],
				[second, 'dev_01'],
				[second, 'dev_01'],
				[second, 'dev_00'],
				[first, null],
			]);
		}
	});

	it('refuses a part that no answer named', async () => {
		const { status, body } = await owner.call('GET', '/history/his_00?before=x');
		expect([status, body['message']]).toEqual([
			400,
			'before must be the one that an answer named.',
		]);
	});
});
