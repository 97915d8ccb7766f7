import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addUser } from '../../src/service/people/people.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import {
	type Answer,
	startTestServer,
	type TestPhone,
	type TestServer,
} from '../support/server.ts';

type Send = (server: TestServer, channels: string[] | undefined, key?: string) => Promise<Answer>;

const target = (channels: string[] | undefined) => (channels ? { target: { channels } } : {});
const options = (key: string | undefined) => (key === undefined ? {} : { key });

/** The endpoints that choose recipients; those that start something also end it, to keep room. */
const PLACES: Array<[string, Send]> = [
	[
		'POST /badge',
		(server, channels, key) =>
			server.call('POST', '/badge', { badge: 1, ...target(channels) }, options(key)),
	],
	[
		'POST /push-notification',
		(server, channels, key) =>
			server.call(
				'POST',
				'/push-notification',
				{ title: 'Hello', ...target(channels) },
				options(key),
			),
	],
	[
		'POST /live-activity/start',
		async (server, channels, key) => {
			const answer = await server.call(
				'POST',
				'/live-activity/start',
				{ content_state: STATES.alert, ...target(channels) },
				options(key),
			);
			await server.call('POST', '/live-activity/end', {
				activity_id: answer.body['activity_id'] ?? 'none',
				content_state: {},
			});
			return answer;
		},
	],
	[
		'PUT /live-activity/stream/{stream_key} with target',
		async (server, channels, key) => {
			await server.call('DELETE', '/live-activity/stream/s');
			return server.call(
				'PUT',
				'/live-activity/stream/s',
				{ content_state: STATES.alert, ...target(channels) },
				options(key),
			);
		},
	],
	[
		'PUT /live-activity/stream/{stream_key} with channels',
		async (server, channels, key) => {
			await server.call('DELETE', '/live-activity/stream/s');
			return server.call(
				'PUT',
				'/live-activity/stream/s',
				{ content_state: STATES.alert, channels },
				options(key),
			);
		},
	],
];

/**
 * The owner has two phones, dana one, nobody none. `owners` holds the user owner, `mixed` one of the
 * owner's phones and the user dana, `empty` no one, `idle` a user without a phone.
 */
describe.each(PLACES)('the recipients of %s', (_place, send) => {
	let server: TestServer;
	let second: TestPhone;
	let dana: TestPhone;
	let restricted: string;

	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await addUser(server.context, server.account.id, { name: 'dana' });
		await addUser(server.context, server.account.id, { name: 'nobody' });
		second = await server.pairPhone();
		dana = await server.pairPhone({ user: 'dana' });
		await server.addChannel('owners', { users: ['owner'] });
		await server.addChannel('mixed', { users: ['dana'], devices: [second.id] });
		await server.addChannel('empty');
		await server.addChannel('idle', { users: ['nobody'] });
		restricted = await server.addKey(server.account.id, ['mixed', 'empty']);
	});
	afterAll(() => server.close());

	/** Sends, and counts what each phone received. */
	const reach = async (channels?: string[], key?: string) => {
		const phones = [server.phone, second, dana];
		const counts = () =>
			Promise.all(
				phones.map(
					async (phone) =>
						(await phone.inbox()).filter(({ kind }) => kind !== 'activity_end').length,
				),
			);
		const before = await counts();
		const answer = await send(server, channels, key);
		const after = await counts();
		const names = ['first', 'second', 'dana'].filter((_name, at) => after[at] !== before[at]);
		const { effective_channel_slugs: slugs } = answer.body;
		return {
			names,
			slugs,
			devices: answer.body['devices_notified'],
			users: answer.body['users_notified'],
			status: answer.status,
			message: answer.body['message'],
		};
	};

	it('are every phone of the account for an unrestricted key without a target', async () => {
		expect(await reach()).toMatchObject({
			names: ['first', 'second', 'dana'],
			slugs: null,
			devices: 3,
			users: 2,
		});
	});

	it('are those in the channels that an unrestricted key targets; a user stands for all their phones', async () => {
		expect(await reach(['owners'])).toMatchObject({
			names: ['first', 'second'],
			slugs: ['owners'],
			devices: 2,
			users: 1,
		});
	});

	it('are phones and users of a channel alike', async () => {
		expect(await reach(['mixed'])).toMatchObject({
			names: ['second', 'dana'],
			slugs: ['mixed'],
			devices: 2,
			users: 2,
		});
	});

	it('are each phone once, however many channels it is in, and the slugs as they were sent', async () => {
		expect(await reach(['owners', 'mixed', 'empty'])).toMatchObject({
			names: ['first', 'second', 'dana'],
			slugs: ['owners', 'mixed', 'empty'],
			devices: 3,
			users: 2,
		});
	});

	it("are those in the key's channels for a restricted key without a target", async () => {
		const reached = await reach(undefined, restricted);
		expect(reached).toMatchObject({ names: ['second', 'dana'], devices: 2 });
		expect([...reached.slugs].sort()).toEqual(['empty', 'mixed']);
	});

	it("are the target when it is within the key's channels", async () => {
		expect(await reach(['mixed'], restricted)).toMatchObject({
			names: ['second', 'dana'],
			slugs: ['mixed'],
		});
	});

	it.each([[['owners']], [['mixed', 'owners']]])(
		"are refused with 403 when the target %j leaves the key's channels, naming those outside",
		async (channels) => {
			const reached = await reach(channels, restricted);
			expect(reached).toMatchObject({ status: 403, names: [] });
			expect(reached.message).toContain('owners');
		},
	);

	it.each([
		[['owners'], ['nowhere']],
		[
			['mixed', 'owners'],
			['mixed', 'nowhere'],
		],
	])(
		'are refused to a restricted key in the same words whether the channel of %j exists, or that of %j does not',
		async (existing, missing) => {
			const foreign = await send(server, existing, restricted);
			const unknown = await send(server, missing, restricted);
			expect(unknown.status).toBe(403);
			expect(unknown.body['error']).toBe('Forbidden');
			expect(JSON.stringify(unknown.body)).toBe(
				JSON.stringify(foreign.body).replace('not target owners', 'not target nowhere'),
			);
		},
	);

	it.each([[['nowhere']], [['owners', 'nowhere', 'neither']]])(
		'are refused with 400 when slugs of %j name no channel, naming those',
		async (channels) => {
			const { status, body } = await send(server, channels);
			expect(status).toBe(400);
			expect(body['error']).toBe('Invalid channel targeting');
			for (const slug of channels) expect(body['message'].includes(slug)).toBe(slug !== 'owners');
		},
	);

	it.each([[['empty']], [['idle']], [['empty', 'idle']]])(
		'are refused with 422 when nobody is in %j, telling the effective channels',
		async (channels) => {
			const { status, body } = await send(server, channels);
			expect(status).toBe(422);
			expect(body).toEqual({
				error: expect.any(String),
				message: expect.stringContaining('empty' === channels[0] ? 'empty' : 'idle'),
				effective_channel_slugs: channels,
			});
		},
	);

	it('are refused with 422 and null channels in an account without phones', async () => {
		const { key } = await server.addAccount();
		const { status, body } = await send(server, undefined, key);
		expect(status).toBe(422);
		expect(body['effective_channel_slugs']).toBeNull();
	});

	it('are not found by the slug of another account', async () => {
		const other = await server.addAccount();
		await server.pairPhone({ account: other.id });
		expect((await send(server, ['owners'], other.key)).status).toBe(400);
	});

	it.each([
		['one character', ['a'], true],
		['64 characters', ['a'.repeat(64)], true],
		['every allowed character', ['0az-9_'], true],
		['fifty', Array.from({ length: 50 }, (_, at) => `c${at}`), true],
		['none', [], false],
		['fifty-one', Array.from({ length: 51 }, (_, at) => `c${at}`), false],
		['the same twice', ['a', 'a'], false],
		['an empty slug', [''], false],
		['a slug of 65 characters', ['a'.repeat(65)], false],
		['a slug with a capital', ['Ops'], false],
		['a slug that begins with a dash', ['-ops'], false],
		['a slug that begins with an underscore', ['_ops'], false],
		['a slug with a period', ['a.b'], false],
	])(
		'may be given as a list of well-formed slugs, %s: %j → %s',
		async (_what, channels, wellFormed) => {
			const { status, body } = await send(server, channels);
			expect(status).toBe(400);
			// A well-formed slug is looked up, but none of these exists.
			if (wellFormed) expect(body['error']).toBe('Invalid channel targeting');
			else expect(body['message']).toMatch(/^(target\.)?channels(\[\d+\])? must /);
		},
	);
});

describe('recipients that are disconnected', () => {
	it('are left out, which leaves nobody when there are no others', async () => {
		const server = await startTestServer({ settings: UNLIMITED });
		const second = await server.pairPhone();
		await second.call('DELETE', '/');
		const first = await server.call('POST', '/push-notification', { title: 'Hello' });
		await server.phone.call('DELETE', '/');
		const then = await server.call('POST', '/push-notification', { title: 'Hello' });
		await server.close();
		expect(first.body['devices_notified']).toBe(1);
		expect(then.status).toBe(422);
	});
});
