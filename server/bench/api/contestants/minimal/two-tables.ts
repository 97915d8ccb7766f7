import SqliteDatabase from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { PushRequest } from '../../../../src/contract/push.ts';
import { grouped, type Store } from './store.ts';

/** Groups of requests in a transaction of their own at the same time. */
const OPEN_GROUPS = 2;

interface Push {
	account: number;
	content: string;
}

const toPush = (account: number, request: PushRequest): Push => ({
	account,
	content: JSON.stringify(request),
});

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

const ACCOUNTS = `
	create table keys (hash text primary key, account bigint not null);
	create table phones (id bigint primary key, account bigint not null);
	create index phones_by_account on phones (account);
`;

/** Messages and deliveries in SQLite. @param keys of the accounts, each with one phone */
export function openSqlite(directory: string, keys: readonly string[]): Store<number> {
	const db = new SqliteDatabase(join(directory, 'minimal.db'));
	db.pragma('journal_mode = WAL');
	db.pragma('synchronous = FULL');
	db.exec(`${ACCOUNTS}
		create table messages (id integer primary key, account bigint not null, content text not null);
		create table deliveries (id integer primary key, message bigint not null, phone bigint not null)`);
	const insertKey = db.prepare('insert into keys values (?, ?)');
	const insertPhone = db.prepare('insert into phones values (?, ?)');
	db.transaction(() => {
		for (const [n, key] of keys.entries()) {
			insertKey.run(hashOf(key), n);
			insertPhone.run(n, n);
		}
	})();
	const accountOf = db.prepare<[string], { account: number }>(
		'select account from keys where hash = ?',
	);
	const insertMessage = db.prepare('insert into messages (account, content) values (?, ?)');
	const insertDeliveries = db.prepare(
		'insert into deliveries (message, phone) select ?, id from phones where account = ?',
	);
	const used = new Map<number, number>();
	const insertAll = db.transaction((pushes: readonly Push[]) => {
		for (const { account, content } of pushes) {
			const { lastInsertRowid } = insertMessage.run(account, content);
			insertDeliveries.run(lastInsertRowid, account);
		}
	});
	const storePush = grouped((pushes: Push[]) => {
		insertAll(pushes);
		return Promise.resolve([]);
	}, OPEN_GROUPS);
	return {
		authenticate: grouped(
			(asked: string[]) =>
				Promise.resolve(
					asked.map((key) => {
						const account = accountOf.get(hashOf(key))?.account;
						if (account !== undefined) used.set(account, (used.get(account) ?? 0) + 1);
						return account;
					}),
				),
			OPEN_GROUPS,
		),
		store: (account, request) => storePush(toPush(account, request)),
	};
}

/** Messages and deliveries in PostgreSQL. @param keys of the accounts, each with one phone */
export async function openPostgres(url: string, keys: readonly string[]): Promise<Store<number>> {
	pg.types.setTypeParser(pg.types.builtins.INT8, Number);
	const pool = new pg.Pool({ connectionString: url, max: 6 });
	await pool.query(`${ACCOUNTS}
		create unlogged table used (account bigint primary key, requests bigint not null)
			with (fillfactor = 50);
		create table messages (id bigserial primary key, account bigint not null, content text not null);
		create table deliveries (id bigserial primary key, message bigint not null, phone bigint not null)`);
	await pool.query(
		`insert into keys select value, place - 1
			from json_array_elements_text($1::json) with ordinality as keys(value, place)`,
		[JSON.stringify(keys.map(hashOf))],
	);
	await pool.query('insert into phones select account, account from keys');
	const storePush = grouped(async (pushes: Push[]) => {
		const client = await pool.connect();
		try {
			await client.query('begin');
			await client.query({
				name: 'store',
				text: `with stored as (
						insert into messages (account, content)
						select account, content
						from json_to_recordset($1::json) as pushes(account bigint, content text)
						returning id, account
					)
					insert into deliveries (message, phone)
					select stored.id, phones.id from stored join phones using (account)`,
				values: [JSON.stringify(pushes)],
			});
			await client.query('commit');
		} finally {
			client.release();
		}
		return [];
	}, OPEN_GROUPS);
	return {
		authenticate: grouped(async (asked: string[]) => {
			const hashes = asked.map(hashOf);
			const { rows } = await pool.query<{ hash: string; account: number }>({
				name: 'authenticate',
				text: `with found as (select hash, account from keys where hash = any($1)),
					counted as (
						insert into used select account, count(*)
						from unnest($1::text[]) as asked(hash) join found using (hash)
						group by account order by account
						on conflict (account) do update set requests = used.requests + excluded.requests
					)
					select hash, account from found`,
				values: [hashes],
			});
			const accounts = new Map(rows.map(({ hash, account }) => [hash, account]));
			return hashes.map((hash) => accounts.get(hash));
		}, OPEN_GROUPS),
		store: (account, request) => storePush(toPush(account, request)),
	};
}
