import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const ROOM_BYTES = 400_000;

/** Another program on the same file takes away something the server needs, and gives it back. */
describe('a store that cannot be written', () => {
	let server: TestServer;
	let other: SqliteDatabase.Database;
	/** What went wrong in the background. */
	let errors: string[];
	beforeEach(async () => {
		errors = [];
		server = await startTestServer({
			settings: { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
			onError: (_error, what) => errors.push(what),
		});
		const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(
			server.context.database.read,
		);
		other = new SqliteDatabase(join(rows[0]!.file));
	});
	afterEach(async () => {
		other.close();
		await server.close();
		expect(errors).toEqual([]);
	});

	const requests: Array<[string, () => ReturnType<TestServer['call']>]> = [
		[
			'a push',
			() => server.call('POST', '/push-notification', { title: 'A', badge: 4, tags: ['a'] }),
		],
		['a badge', () => server.call('POST', '/badge', { badge: 4 })],
		[
			'a stream',
			() =>
				server.call('PUT', '/live-activity/stream/s', {
					content_state: { type: 'value', title: 'A', value: 1 },
				}),
		],
		[
			'a start',
			() =>
				server.call('POST', '/live-activity/start', {
					content_state: { type: 'value', title: 'A', value: 1 },
				}),
		],
	];
	/** Lets the server's file grow by so much: SQLite then reports a full disk. */
	const setRoom = (bytes: number) =>
		server.context.database.write(null, async (db) => {
			const { rows } = await sql<{ pages: number; size: number }>`
				select page_count as pages, page_size as size
				from pragma_page_count(), pragma_page_size()`.execute(db);
			const { pages, size } = rows[0]!;
			await sql.raw(`pragma max_page_count = ${pages + Math.ceil(bytes / size)}`).execute(db);
		});
	const content = () =>
		[
			'history',
			'history_tags',
			'messages',
			'deliveries',
			'activities',
			'activity_devices',
			'streams',
			'usage',
			'devices',
		].map((table) => [table, other.prepare(`select * from ${table}`).all()]);

	it.each(requests)('answers %s with 503 and keeps nothing of it', async (_what, request) => {
		const before = content();
		// The last table written by these requests: everything before it must be undone.
		other.exec(`
			create table ballast (content blob);
			create trigger full before insert on deliveries
			begin insert into ballast values (zeroblob(${2 * ROOM_BYTES})); end`);
		await setRoom(ROOM_BYTES);
		const { status, body, headers } = await request();
		expect(status).toBe(503);
		expect(body).toEqual({
			error: 'Storage unavailable',
			message: expect.stringMatching(/try again/),
			code: 'not_stored',
			request_id: expect.any(String),
		});
		expect(headers['retry-after']).toBe('5');
		expect(content()).toEqual(before);
		expect(await server.phone.inbox()).toEqual([]);
		await setRoom(4 * ROOM_BYTES);
		expect((await request()).status).toBe(200);
		expect(await server.phone.inbox()).toHaveLength(1);
	});

	it('lets requests that arrive with the one that fails be stored', async () => {
		other.exec(
			"create trigger full before insert on history when new.title = 'bad' begin select raise(abort, 'no'); end",
		);
		const titles = ['a', 'bad', 'b', 'bad', 'c'];
		const answers = await Promise.all(
			titles.map((title) => server.call('POST', '/push-notification', { title })),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 500, 200, 500, 200]);
		expect((await server.phone.inbox()).map(({ push }) => push.title).sort()).toEqual([
			'a',
			'b',
			'c',
		]);
	});

	describe('after a webhook was called', () => {
		let webhook: Receiver;
		let letGo: () => void;
		beforeEach(async () => {
			const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
			webhook = await startReceiver((_request, response) => {
				const answer = '{"message":"Released.","final":true}';
				void isLetGo.then(() => response.setHeader('content-type', 'application/json').end(answer));
			});
		});
		afterEach(() => webhook.close());

		it('tells every phone its answer, calls it no more, and stores the answer later', async () => {
			const action = { title: 'Approve', type: 'webhook', url: webhook.url };
			await server.call('POST', '/push-notification', { title: 'Release?', actions: [action] });
			const { id } = (await server.phone.inbox()).at(-1);
			const tap = async (tap_id: string = randomUUID()) =>
				(await server.phone.call('POST', '/taps', { tap_id, delivery_id: id, action: 0 })).body;

			const first = randomUUID();
			const answered = tap(first);
			await waitFor('the call', () => webhook.received.length > 0);
			other.exec(
				"create trigger full before update on taps begin select raise(abort, 'database or disk is full'); end",
			);
			letGo();
			const called = await answered;
			const answer = { button: 'Approve', message: 'Released.', final: true };
			expect(called).toMatchObject({ outcome: 'called', message: 'Released.', answer });
			expect(await tap(first)).toEqual(called);
			expect(await tap()).toMatchObject({ outcome: 'refused', answer });
			expect((await server.phone.inbox()).at(-1).push.answer).toBeUndefined();

			other.exec('drop trigger full');
			await waitFor(
				'the answer',
				async () => (await server.phone.inbox()).at(-1).push.answer !== undefined,
			);
			expect(await tap(first)).toEqual(called);
			expect(await tap()).toMatchObject({ outcome: 'refused', answer });
			expect(webhook.received).toHaveLength(1);
			expect(errors.splice(0)).toEqual(['storing the outcome of a tap']);
		});
	});

	it('goes on with everything else while another program holds the file, and writes after it', async () => {
		const phone = server.phone;
		other.exec('begin immediate');
		let isAnswered = false;
		const pushed = server.call('POST', '/push-notification', { title: 'A' });
		void pushed.then(() => (isAnswered = true));
		// Reading needs the same event loop, though not the lock.
		for (let look = 0; look < 20; look += 1)
			expect((await phone.call('GET', '/snapshot')).status).toBe(200);
		expect(isAnswered).toBe(false);
		other.exec('rollback');
		expect((await pushed).status).toBe(200);
		expect(await phone.inbox()).toHaveLength(1);
	});

	it('answers 503 when another program holds the file for too long, and goes on afterwards', async () => {
		const send = () => server.call('POST', '/push-notification', { title: 'A' });
		// By then its outcome and the key's last use are written: only the next push is held up.
		expect((await send()).status).toBe(200);
		await waitFor('the outcome of the first push', () => {
			const pending = other.prepare("select count(*) from deliveries where state = 'pending'");
			return pending.pluck().get() === 0;
		});
		other.exec('begin immediate');
		const { status, headers } = await send();
		expect({ status, retryAfter: headers['retry-after'] }).toEqual({
			status: 503,
			retryAfter: '5',
		});
		// Reading still works meanwhile.
		expect(await server.phone.inbox()).toHaveLength(1);
		other.exec('rollback');
		expect((await send()).status).toBe(200);
		expect(await server.phone.inbox()).toHaveLength(2);
	});

	it('answers 503 to what waits behind other writes for five seconds, and stores nothing of it', async () => {
		const { database } = server.context;
		const send = () => server.call('POST', '/push-notification', { title: 'A' });
		expect((await send()).status).toBe(200);
		let release: (() => void) | undefined;
		const held = database.write(null, () => new Promise<void>((resolve) => (release = resolve)));
		await waitFor('the transaction', () => release !== undefined);
		const [answer, written] = await Promise.allSettled([
			send(),
			database.write(null, (db) => db.deleteFrom('history').execute()),
		]);
		expect(answer).toMatchObject({
			value: {
				status: 503,
				headers: { 'retry-after': '5' },
				body: { message: expect.stringContaining('Nothing was stored or sent; try again') },
			},
		});
		expect(written).toMatchObject({ reason: expect.any(StoreUnavailableError) });
		release?.();
		await held;
		expect(await server.phone.inbox()).toHaveLength(1);
		expect((await send()).status).toBe(200);
		expect(await server.phone.inbox()).toHaveLength(2);
		// The outcome of the first push may have waited, too.
		errors.length = 0;
	});
});
