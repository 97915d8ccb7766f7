import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { signedIn } from '../console/support/console.ts';
import { rowsStatement } from '../../src/store/engine/json-rows.ts';
import { isAmong, statement } from '../../src/store/engine/statement.ts';
import { entitled, everyPlace } from '../support/places.ts';
import { routesOf } from '../support/routes.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What PostgreSQL's text cannot hold: U+0000, and half a character. */
const ANY = 'a\0b\uD83Dc';
const STORED = 'a\uFFFDb\uFFFDc';

/** URLs have no halves of characters, and headers neither. */
const VALUES = { JSON: ANY, text: ANY, URL: 'a\0b', header: 'a' };

let server: TestServer;
let routes: Awaited<ReturnType<typeof routesOf>>;
beforeAll(async () => {
	routes = await routesOf(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	await server.addChannel('ops', { devices: [server.phone.id] });
});
afterAll(() => server.close());

describe('a text that reaches a statement', () => {
	const found = statement<{ list: readonly string[] }, { id: string }>(
		(db, { list }) => sql`select name as id from users where ${isAmong(db, 'name', list)}`,
	);
	const rename = rowsStatement(
		'users',
		['id', 'name'],
		(_db, rows) =>
			sql`update users set name = given.name from (${rows}) as given where users.id = given.id`,
	);

	it('is stored and found alike, by itself, in a list and in rows', async () => {
		const { read, write } = server.context.database;
		const { id } = await read.selectFrom('users').select('id').executeTakeFirstOrThrow();
		const name = async () =>
			(await read.selectFrom('users').select('name').where('id', '=', id).executeTakeFirstOrThrow())
				.name;
		const usual = await name();
		await write(null, (db) =>
			db.updateTable('users').set({ name: ANY }).where('id', '=', id).execute(),
		);
		expect(await name()).toBe(STORED);
		await write(null, (db) => db.updateTable('users').set({ name: usual }).execute());
		await write(null, (db) => rename(db, [{ id, name: ANY }] as never));
		expect(await name()).toBe(STORED);
		const direct = await read.selectFrom('users').select('id').where('name', '=', ANY).execute();
		expect(direct).toEqual([{ id }]);
		expect(await found(read, { list: [ANY] })).toEqual([{ id: STORED }]);
		const among = read
			.selectFrom('users')
			.select('id')
			.where(isAmong(read, 'name', [ANY]));
		expect(await among.execute()).toEqual([{ id }]);
		await write(null, (db) => db.updateTable('users').set({ name: usual }).execute());
	});
});

describe('any text', () => {
	it('is answered among the names of those who may answer', async () => {
		const { status, body } = await server.call('POST', '/questions', {
			title: 'Deploy?',
			choices: [{ id: 'yes', title: 'Yes' }],
			answerable_by: [ANY],
		});
		expect([status, body['message']]).toEqual([
			400,
			expect.stringMatching(/^answerable_by names people/),
		]);
	});

	it('is answered, and is no failure, in every kind of place of a request', async () => {
		const send = await entitled(server, await signedIn(server));
		const places = everyPlace(routes);
		expect(places.length).toBeGreaterThan(200);
		const failed: string[] = [];
		for (const { name, kind, requestWith } of places) {
			const { statusCode, body } = await send(requestWith(VALUES[kind]));
			if (statusCode >= 500) failed.push(`${name}: ${statusCode} ${body}`);
		}
		expect(failed).toEqual([]);
	});
});
