import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { repeats } from '../../src/service/sending/repeats.ts';
import { addUser } from '../../src/service/people/people.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import { createChannel } from '../../src/service/keys-and-channels/channels.ts';
import { settleDue } from '../support/later.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

/** docs/api-decisions.md "One phone": a slug that stands for a single phone. */
describe('a phone that is named by its slug', () => {
	let server: TestServer;
	let danas: TestPhone;
	/** Reaches the channel `ops`, in which is Dana with all her phones. */
	let opsKey: string;

	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await addUser(server.context, server.account.id, { name: 'dana' });
		danas = await server.pairPhone({ user: 'dana' });
		await server.addChannel('ops', { users: ['dana'] });
		opsKey = await server.addKey(server.account.id, ['ops']);
	});
	afterEach(() => server.close());

	const as = (key: string | undefined) => (key === undefined ? {} : { key });

	const list = async (key?: string) =>
		(await server.call('GET', '/phones', undefined, as(key))).body['phones'] as Array<{
			slug: string;
			user: string;
		}>;

	const slugOf = async (user: string) => (await list()).find((phone) => phone.user === user)!.slug;

	const push = (channels: string[], key?: string) =>
		server.call('POST', '/push-notification', { title: 'Hello', target: { channels } }, as(key));

	const put = (
		channels: string[] | undefined,
		{ key, state = STATES.alert }: { key?: string; state?: object } = {},
	) =>
		server.call(
			'PUT',
			'/live-activity/stream/s',
			{ content_state: state, ...(channels && { channels }) },
			as(key),
		);

	const kindsOn = async (phone: TestPhone) => (await phone.inbox()).map(({ kind }) => kind);

	it('is listed with its name and its person, by slug', async () => {
		const { body, status } = await server.call('GET', '/phones');
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			phones: expect.arrayContaining([
				{
					slug: expect.stringMatching(/^phone-[0-9a-f]{24}$/),
					name: expect.any(String),
					user: 'owner',
				},
				{
					slug: expect.stringMatching(/^phone-[0-9a-f]{24}$/),
					name: expect.any(String),
					user: 'dana',
				},
			]),
			next: null,
		});
		const slugs = (await list()).map(({ slug }) => slug);
		expect(slugs).toEqual([...slugs].sort());
		const first = await server.call('GET', '/phones?limit=1');
		const second = await server.call('GET', `/phones?limit=1&after=${first.body['next']}`);
		expect([...first.body['phones'], ...second.body['phones']]).toEqual(body['phones']);
		expect(second.body['next']).toBeNull();
	});

	it('is listed for a restricted key only if it is in one of its channels', async () => {
		expect((await list(opsKey)).map(({ user }) => user)).toEqual(['dana']);
	});

	it('is in no list of channels, and can be muted by none', async () => {
		const slug = await slugOf('dana');
		expect((await server.call('GET', '/channels')).body['channels']).toEqual([
			{ slug: 'ops', name: 'ops' },
		]);
		expect((await danas.call('GET', '/channels')).body['channels']).toMatchObject([
			{ slug: 'ops' },
		]);
		expect((await danas.call('PUT', `/channels/${slug}`, { muted: true })).status).toBe(404);
	});

	it('alone gets a push', async () => {
		const slug = await slugOf('dana');
		const { body } = await push([slug]);
		expect(body).toMatchObject({
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: [slug],
		});
		expect(await kindsOn(danas)).toEqual(['push']);
		expect(await kindsOn(server.phone)).toEqual([]);
	});

	it('gets a push once that names one of its channels too', async () => {
		expect((await push(['ops', await slugOf('dana')])).body['devices_notified']).toBe(1);
	});

	it('alone gets the badge, and a Live Activity by id until its end', async () => {
		const target = { channels: [await slugOf('dana')] };
		expect((await server.call('POST', '/badge', { badge: 3, target })).body).toMatchObject({
			devices_updated: 1,
		});
		const started = await server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
			target,
		});
		const { activity_id: id } = started.body;
		for (const path of ['update', 'end']) {
			const changed = await server.call('POST', `/live-activity/${path}`, {
				activity_id: id,
				content_state: { message: path },
			});
			expect(changed.body).toMatchObject({ devices_notified: 1 });
		}
		expect(await kindsOn(server.phone)).toEqual([]);
	});

	it('is heard although it has muted its channels', async () => {
		await danas.call('PUT', '/channels/ops', { muted: true });
		await push([await slugOf('dana')], opsKey);
		expect(await danas.inbox()).toEqual([expect.not.objectContaining({ muted: true })]);
	});

	it('alone gets the repeats of a push, which a restricted key may stop', async () => {
		const { body } = await server.call(
			'POST',
			'/push-notification/repeated',
			{
				push: { title: 'Water', target: { channels: [await slugOf('dana')] } },
				repeat: { every_minutes: 1, times: 3 },
			},
			{ key: opsKey },
		);
		server.clock.advance(61);
		expect(await settleDue(server.context, repeats)).toBe(1);
		expect(await kindsOn(server.phone)).toEqual([]);
		const stop = (key: string) =>
			server.call('DELETE', `/push-notification/repeated/${body['repeat_id']}`, undefined, { key });
		await server.addChannel('sales');
		const others = await server.addKey(server.account.id, ['sales']);
		expect((await stop(others)).status).toBe(403);
		expect((await stop(opsKey)).body).toMatchObject({ outcome: 'stopped' });
	});

	it('alone gets a stream: started, updated, paused, resumed and ended', async () => {
		const slug = await slugOf('dana');
		expect((await put([slug])).body).toMatchObject({ operation: 'started', devices_notified: 1 });
		expect((await put([slug], { state: { message: 'Full' } })).body).toMatchObject({
			operation: 'updated',
			effective_channel_slugs: [slug],
		});
		await pauseStream(server.context, server.account.id, 's');
		expect(await resumeStream(server.context, server.account.id, 's')).toBe(true);
		expect((await danas.snapshot()).activities).toHaveLength(1);
		const ended = await server.call('DELETE', '/live-activity/stream/s');
		expect(ended.body).toMatchObject({ operation: 'ended', devices_notified: 1 });
		expect(await kindsOn(server.phone)).toEqual([]);
	});

	it('is an audience of its own: a stream rotates to it and away from it', async () => {
		const slug = await slugOf('dana');
		await put(['ops']);
		expect((await put([slug])).body).toMatchObject({ operation: 'rotated' });
		expect((await put(undefined)).body).toMatchObject({
			operation: 'rotated',
			devices_notified: 2,
		});
	});

	it('is within a restricted key if one of its channels has it, for as long', async () => {
		const slug = await slugOf('dana');
		expect((await push([slug], opsKey)).body).toMatchObject({ devices_notified: 1 });
		expect((await put([slug], { key: opsKey })).body).toMatchObject({ operation: 'started' });
		expect((await put([slug], { key: opsKey, state: { message: 'x' } })).body).toMatchObject({
			operation: 'updated',
		});
		expect((await put(['ops'], { key: opsKey })).body).toMatchObject({ operation: 'rotated' });
		expect((await put([slug], { key: opsKey })).body).toMatchObject({ operation: 'rotated' });
		const streams = await server.call('GET', '/live-activity/streams', undefined, { key: opsKey });
		expect(streams.body['streams']).toMatchObject([{ stream_key: 's' }]);
		const started = await server.call(
			'POST',
			'/live-activity/start',
			{ content_state: STATES.alert, target: { channels: [slug] } },
			{ key: opsKey },
		);
		const { activity_id: id } = started.body;
		const change = { activity_id: id, content_state: { message: 'x' } };
		for (const path of ['update', 'end']) {
			const changed = await server.call('POST', `/live-activity/${path}`, change, { key: opsKey });
			expect(changed.status).toBe(200);
		}
		await server.addChannel('sales', { users: ['owner'] });
		const salesKey = await server.addKey(server.account.id, ['sales']);
		for (const answer of [
			await push([slug], salesKey),
			await put(['sales'], { key: salesKey }),
			await server.call('DELETE', '/live-activity/stream/s', undefined, { key: salesKey }),
			await server.call('POST', '/live-activity/end', change, { key: salesKey }),
		]) {
			expect(answer.status).toBe(403);
		}
		const hidden = await server.call('GET', '/live-activity/streams', undefined, { key: salesKey });
		expect(hidden.body['streams']).toEqual([]);
		const ended = await server.call('DELETE', '/live-activity/stream/s', undefined, {
			key: opsKey,
		});
		expect(ended.status).toBe(200);
	});

	it('is refused like an unknown channel if it does not exist or is of another account', async () => {
		const other = await server.addAccount();
		await addUser(server.context, other.id, { name: 'eve' });
		await server.pairPhone({ account: other.id, user: 'eve' });
		const [foreign] = await list(other.key);
		for (const slug of [`phone-${'0'.repeat(24)}`, foreign!.slug]) {
			const { status, body } = await push([slug]);
			expect([status, body['error'], body['unknown_channels']]).toEqual([
				400,
				'Invalid channel targeting',
				[slug],
			]);
			expect((await push([slug], opsKey)).status).toBe(403);
		}
	});

	it('gets nothing while it is disconnected, and leaves the list', async () => {
		const slug = await slugOf('dana');
		await danas.call('DELETE', '');
		expect((await list()).map(({ user }) => user)).toEqual(['owner']);
		const { status, body } = await push([slug]);
		expect([status, body['message']]).toEqual([
			422,
			`No connected phone is in the channel ${slug}. Pair a phone, or add one to the channel, then send again.`,
		]);
	});

	it('keeps its slug to itself: no channel may have it', async () => {
		const slug = `phone-${'0'.repeat(24)}`;
		await expect(createChannel(server.context, server.account.id, { slug })).rejects.toThrow(
			'stands for a single phone',
		);
		await createChannel(server.context, server.account.id, { slug: 'phone-of-dana' });
	});
});
