import { randomBytes } from 'node:crypto';
import { get, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pruneUnusedImages } from '../../src/service/images/images.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const PUBLIC = 'https://beckon.example.com';

/** Pictures of the least size: their first bytes decide. */
const PICTURES = {
	'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
	'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]),
	'image/gif': Buffer.from('GIF89a\x01\x00', 'latin1'),
	'image/webp': Buffer.from('RIFF\x04\x00\x00\x00WEBPVP8 ', 'latin1'),
};

const JPEG = PICTURES['image/jpeg'];

describe('pictures from a workflow', () => {
	let server: TestServer;
	const start = async (settings: Record<string, string> = {}) => {
		server = await startTestServer({
			settings: { ...UNLIMITED, BECKON_PUBLIC_URL: PUBLIC, ...settings },
		});
	};
	beforeEach(() => start());
	afterEach(() => server.close());

	const store = async (bytes: Buffer, type = 'application/octet-stream', key?: string) => {
		const response = await server.app.inject({
			method: 'POST',
			url: '/api/images',
			headers: { authorization: `Bearer ${key ?? server.account.key}`, 'content-type': type },
			payload: bytes,
		});
		return { status: response.statusCode, body: response.json(), headers: response.headers };
	};
	const urlOf = async (bytes: Buffer): Promise<string> => (await store(bytes)).body.url;
	const fetched = (url: string) =>
		server.app.inject({ method: 'GET', url: url.slice(PUBLIC.length) });
	const push = async (media: string) =>
		(await server.call('POST', '/push-notification', { title: 'Camera', media })).status;

	it.each(Object.entries(PICTURES))('are stored and served as %s', async (type, bytes) => {
		const { status, body } = await store(bytes, type);
		expect([status, body]).toEqual([
			200,
			{
				success: true,
				url: expect.stringMatching(/^https:\/\/beckon\.example\.com\/images\/[\w-]{43}$/),
				unused_until: server.timestamp(3_600),
			},
		]);
		const { headers, rawPayload, statusCode } = await fetched(body.url);
		expect(statusCode).toBe(200);
		expect(rawPayload.equals(bytes)).toBe(true);
		expect(headers).toMatchObject({
			'content-type': type,
			'x-content-type-options': 'nosniff',
			'referrer-policy': 'no-referrer',
			'content-security-policy': "default-src 'none'; sandbox",
		});
	});

	it('have the type that their first bytes tell, whatever the request says', async () => {
		const { body } = await store(JPEG, 'image/png');
		expect((await fetched(body.url)).headers['content-type']).toBe('image/jpeg');
	});

	it.each<[string, Buffer]>([
		['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
		['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
		['a text', Buffer.from('hello')],
		['a sound in a RIFF file', Buffer.from('RIFF\x04\x00\x00\x00WAVEfmt ', 'latin1')],
	])('cannot be %s', async (_what, bytes) => {
		const { status, body } = await store(bytes, 'image/png');
		expect([status, body.message]).toEqual([
			400,
			'The body is not a JPEG, PNG, GIF or WebP picture.',
		]);
	});

	it('are 2 MB at most', async () => {
		const sized = (bytes: number) => Buffer.concat([JPEG, Buffer.alloc(bytes - JPEG.length)]);
		expect((await store(sized(2_000_000))).status).toBe(200);
		const { status, body } = await store(sized(2_000_001));
		expect([status, body.message]).toEqual([413, 'A picture can be at most 2 MB.']);
	});

	it('need a body of bytes, and a key', async () => {
		expect((await store(Buffer.alloc(0))).status).toBe(400);
		expect((await store(Buffer.from('{}'), 'application/json')).body).toMatchObject({
			message: 'Send the bytes of a JPEG, PNG, GIF or WebP picture, with its Content-Type.',
		});
		expect((await store(JPEG, 'image/jpeg', 'bk_wrong')).status).toBe(401);
	});

	it('are known by their whole path alone, which the store does not have', async () => {
		const url = await urlOf(JPEG);
		expect((await fetched(url.slice(0, -1))).statusCode).toBe(404);
		expect((await fetched(`${PUBLIC}/images/`)).statusCode).toBe(404);
		const rows = await server.context.database.read
			.selectFrom('images')
			.select('path_hash')
			.execute();
		expect(rows).toHaveLength(1);
		expect(url).not.toContain(rows[0]!.path_hash);
	});

	it('are deleted after an hour, unless a push has used them', async () => {
		const [used, unused] = [await urlOf(JPEG), await urlOf(JPEG)];
		expect(await push(used)).toBe(200);
		server.clock.advance(3_600);
		expect(await pruneUnusedImages(server.context)).toBe(0);
		server.clock.advance(1);
		expect(await pruneUnusedImages(server.context)).toBe(1);
		expect((await fetched(unused)).statusCode).toBe(404);
		expect((await fetched(used)).statusCode).toBe(200);
	});

	it('are deleted with the newest history entry that uses them', async () => {
		const url = await urlOf(JPEG);
		await push(url);
		server.clock.advance(1);
		await push(url);
		const { database } = server.context;
		const entries = await database.read
			.selectFrom('history')
			.select('id')
			.where('kind', '=', 'push')
			.orderBy('created_at')
			.execute();
		const forget = (id: string) =>
			database.write(server.account.id, (db) =>
				db.deleteFrom('history').where('id', '=', id).execute(),
			);
		await forget(entries[0]!.id);
		expect((await fetched(url)).statusCode).toBe(200);
		await forget(entries[1]!.id);
		expect((await fetched(url)).statusCode).toBe(404);
	});

	it('are kept by no push of another account', async () => {
		const url = await urlOf(JPEG);
		const other = await server.addAccount();
		await server.pairPhone({ account: other.id });
		await server.call('POST', '/push-notification', { title: 'x', media: url }, { key: other.key });
		server.clock.advance(3_601);
		expect(await pruneUnusedImages(server.context)).toBe(1);
	});

	it('take up 200 MB of an account at most, counted with what its pushes use', async () => {
		await server.context.database.write(server.account.id, (db) =>
			db
				.insertInto('images')
				.values({
					path_hash: 'x',
					account_id: server.account.id,
					history_id: null,
					type: 'image/png',
					bytes: JPEG,
					size: 200_000_000 - JPEG.length,
					created_at: server.clock.now,
				})
				.execute(),
		);
		expect((await store(JPEG)).status).toBe(200);
		const { status, body } = await store(JPEG);
		expect([status, body.error]).toEqual([409, 'No room for pictures']);
		expect((await store(JPEG, 'image/jpeg', (await server.addAccount()).key)).status).toBe(200);
	});

	it.each(['', 'http://beckon.example.com'])(
		'are refused with an explanation where the public address is "%s"',
		async (address) => {
			await server.close();
			await start({ BECKON_PUBLIC_URL: address });
			const { status, body } = await store(JPEG);
			expect(status).toBe(400);
			expect(body.message).toContain('Set BECKON_PUBLIC_URL on the server to its https address.');
		},
	);

	it('have an allowance of their own', async () => {
		await server.close();
		await start({ BECKON_RATE_IMAGES: '1' });
		expect((await store(JPEG)).status).toBe(200);
		expect((await store(JPEG)).status).toBe(429);
		expect(await push('https://example.com/x.jpg')).toBe(200);
	});

	it('are fetched by one client address within an allowance', async () => {
		await server.close();
		await start({ BECKON_RATE_PER_ADDRESS: '2' });
		const url = (await urlOf(JPEG)).slice(PUBLIC.length);
		const from = (remoteAddress: string) => server.app.inject({ url, remoteAddress });
		expect((await from('2001:db8::1')).statusCode).toBe(200);
		expect((await from('2001:db8::2')).statusCode).toBe(200);
		const refused = await from('2001:db8::3');
		expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
			429,
			'60',
			{
				error: 'Rate limit exceeded',
				message: 'Too many pictures requested from this address. Try again in 60 s.',
				code: 'rate_limited',
			},
		]);
		expect((await from('2001:db8:0:1::1')).statusCode).toBe(200);
		server.clock.advance(60);
		expect((await from('2001:db8::3')).statusCode).toBe(200);
	});

	it('are read from the store once, for all who fetch them', async () => {
		const bytes = Buffer.concat([JPEG, randomBytes(1_000)]);
		const url = await urlOf(bytes);
		expect((await fetched(url)).rawPayload.equals(bytes)).toBe(true);
		await server.context.database.write(server.account.id, (db) =>
			db.updateTable('images').set({ bytes: JPEG }).execute(),
		);
		expect((await fetched(url)).rawPayload.equals(bytes)).toBe(true);
	});

	it('are sent to one client address at 50 MB a second, and to others meanwhile', async () => {
		const url = (await urlOf(Buffer.concat([JPEG, Buffer.alloc(1_999_000)]))).slice(PUBLIC.length);
		const round = async (number: number) => {
			const began = performance.now();
			const secondsFor = async (remoteAddress: string) => {
				expect((await server.app.inject({ url, remoteAddress })).statusCode).toBe(200);
				return (performance.now() - began) / 1_000;
			};
			const sixth = Promise.all(Array.from({ length: 6 }, () => secondsFor(`192.0.2.${number}`)));
			const other = await secondsFor(`198.51.100.${number}`);
			return { last: Math.max(...(await sixth)), other };
		};
		// On a busy machine a request of its own may take longer than those six.
		const rounds = [];
		for (let number = 0; number < 5; number += 1) rounds.push(await round(number));
		// The five before it have 10 MB.
		for (const { last } of rounds) expect(last).toBeGreaterThanOrEqual(0.199);
		expect(rounds.filter(({ last, other }) => other < last)).not.toEqual([]);
	});

	it('are sent six at a time to one client address, and others do not wait for it', async () => {
		leaveOutOfPacked('the answers of its server');
		const url = (await urlOf(Buffer.concat([JPEG, Buffer.alloc(1_999_000)]))).slice(PUBLIC.length);
		const { hostname: host, port } = new URL(
			await server.app.listen({ host: '127.0.0.1', port: 0 }),
		);
		const answers: ServerResponse[] = [];
		server.app.server.on('request', (_request, response) => answers.push(response));
		const slow = connect(Number(port), host).pause();
		// More than the system takes for a client that does not read.
		slow.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50));
		const isInProgress = (answer: ServerResponse) => answer.headersSent && !answer.writableFinished;
		const isFull = () => (answers[0]?.req.socket.writableLength ?? 0) > 0;
		await waitFor('six', () => isFull() && answers.filter(isInProgress).length === 6);

		let isAnswered = false;
		const fetchFrom = (localAddress: string) =>
			new Promise<number | undefined>((resolve, reject) => {
				get({ host, port, path: url, localAddress, agent: false }, (answer) =>
					answer.resume().once('end', () => resolve(answer.statusCode)),
				).once('error', reject);
			});
		const waiting = fetchFrom('127.0.0.1').finally(() => (isAnswered = true));
		expect(await fetchFrom('127.0.0.2')).toBe(200);
		expect(isAnswered).toBe(false);
		const small = (await urlOf(JPEG)).slice(PUBLIC.length);
		const more = Array.from({ length: 110 }, () => server.app.inject({ url: small }));
		const refused = await Promise.race(more);
		expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
		slow.destroy();
		expect(await waiting).toBe(200);
		const statuses = (await Promise.all(more)).map(({ statusCode }) => statusCode);
		expect(new Set(statuses)).toEqual(new Set([200, 429]));
	});
});
