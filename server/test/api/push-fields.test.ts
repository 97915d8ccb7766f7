import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emojis, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('POST /push-notification', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const push = (fields: Record<string, unknown>) =>
		server.call('POST', '/push-notification', { title: 'Hello', ...fields });
	const delivered = async () => (await server.phone.inbox()).at(-1);

	it('answers with the counts, the channels and the time', async () => {
		const { status, body } = await push({});
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: null,
			timestamp: new Date(server.clock.now).toISOString(),
		});
	});

	it('fills in what was left out: interruption level active, sound default', async () => {
		await push({});
		expect(await delivered()).toEqual({
			id: expect.any(Number),
			kind: 'push',
			sent_at: new Date(server.clock.now).toISOString(),
			push: { title: 'Hello', interruption_level: 'active', sound: 'default' },
		});
	});

	it('delivers every field that a phone shows', async () => {
		const shown = {
			title: 'Sale',
			subtitle: 'Shop',
			message: '3 × Mug',
			icon: 'https://example.com/icon.png',
			interruption_level: 'time-sensitive',
			media: 'https://example.com/mug.mp4',
			redirection: 'https://example.com/orders/1',
			payload: { order: 1, lines: [{ sku: 'mug' }] },
			badge: 3,
			sound: 'chime',
			tags: ['sale'],
		};
		expect((await push(shown)).status).toBe(200);
		expect((await delivered()).push).toEqual(shown);
	});

	it('keeps metadata from the phone', async () => {
		await push({ metadata: { customer: 'c-4711-secret' } });
		expect(JSON.stringify(await server.phone.inbox())).not.toContain('c-4711-secret');
		expect(JSON.stringify(await server.phone.snapshot())).not.toContain('c-4711-secret');
	});

	it('sets the badge of the phone', async () => {
		await push({ badge: 41 });
		expect((await server.phone.snapshot()).badge).toBe(41);
		await push({});
		expect((await server.phone.snapshot()).badge).toBe(41);
		await push({ badge: 0 });
		expect((await server.phone.snapshot()).badge).toBe(0);
	});

	it('trims the title before it is measured and sent', async () => {
		expect((await push({ title: `  \n${'t'.repeat(255)}\t ` })).status).toBe(200);
		expect((await delivered()).push.title).toBe('t'.repeat(255));
	});

	it('does not require a message', async () => {
		expect((await push({ message: '' })).status).toBe(200);
	});

	it.each<[string, Record<string, unknown>]>([
		['a title of 255 characters', { title: 't'.repeat(255) }],
		['a title of 255 emojis', { title: emojis(255) }],
		['a subtitle of 255 emojis', { subtitle: emojis(255) }],
		['a message of 16,000 emojis', { message: emojis(16_000) }],
		[
			'metadata of 50 entries',
			{ metadata: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at])) },
		],
		['metadata with a name of 64 emojis', { metadata: { [emojis(64)]: 1 } }],
		['metadata with a text of 512 emojis', { metadata: { a: emojis(512) } }],
		['metadata with every kind of value', { metadata: { a: 'text', b: 1.5, c: true, d: null } }],
		['no metadata at all in the object', { metadata: {} }],
		['a payload of 2 KiB', { payload: { a: 'x'.repeat(2048 - '{"a":""}'.length) } }],
		['an empty payload', { payload: {} }],
		['badge 0', { badge: 0 }],
		['badge 2147483647', { badge: 2_147_483_647 }],
		['sound none', { sound: 'none' }],
		['a sound of 64 characters', { sound: 's'.repeat(64) }],
		['interruption level passive', { interruption_level: 'passive' }],
		['interruption level active', { interruption_level: 'active' }],
		['interruption level time-sensitive', { interruption_level: 'time-sensitive' }],
		['interruption level critical', { interruption_level: 'critical' }],
	])('takes %s', async (_what, fields) => {
		expect((await push(fields)).body).toMatchObject({ success: true });
	});

	it.each<[string, Record<string, unknown>, string]>([
		['no title', { title: undefined }, 'title'],
		['an empty title', { title: '' }, 'title'],
		['a title of spaces', { title: ' \n\t ' }, 'title'],
		['a title of 256 characters', { title: 't'.repeat(256) }, 'title'],
		['a title of 256 emojis', { title: emojis(256) }, 'title'],
		['a subtitle of 256 characters', { subtitle: 's'.repeat(256) }, 'subtitle'],
		['a message of 16,001 characters', { message: 'm'.repeat(16_001) }, 'message'],
		[
			'metadata of 51 entries',
			{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])) },
			'metadata',
		],
		['metadata with an empty name', { metadata: { '': 1 } }, 'metadata'],
		['metadata with a name of 65 characters', { metadata: { ['n'.repeat(65)]: 1 } }, 'metadata'],
		['metadata with a text of 513 characters', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
		['metadata with a list', { metadata: { a: [1] } }, 'metadata.a'],
		['metadata with an object', { metadata: { a: { b: 1 } } }, 'metadata.a'],
		['a payload that is a list', { payload: [1] }, 'payload'],
		[
			'a payload of 2 KiB and a byte',
			{ payload: { a: 'x'.repeat(2049 - '{"a":""}'.length) } },
			'payload',
		],
		['a payload of more bytes than characters', { payload: { a: emojis(600) } }, 'payload'],
		['badge -1', { badge: -1 }, 'badge'],
		['badge 2147483648', { badge: 2_147_483_648 }, 'badge'],
		['badge 1.5', { badge: 1.5 }, 'badge'],
		['badge as text', { badge: '1' }, 'badge'],
		['an empty sound', { sound: '' }, 'sound'],
		['a sound of 65 characters', { sound: 's'.repeat(65) }, 'sound'],
		['an unknown interruption level', { interruption_level: 'loud' }, 'interruption_level'],
		['an interruption level in capitals', { interruption_level: 'Active' }, 'interruption_level'],
	])('refuses %s, naming the field', async (_what, fields, path) => {
		const before = (await server.phone.inbox()).length;
		const { status, body } = await push(fields);
		expect(status).toBe(400);
		expect(body['message']).toMatch(new RegExp(`^${path}[. ]`));
		expect((await server.phone.inbox()).length).toBe(before);
	});
});
