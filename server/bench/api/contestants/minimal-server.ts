import SqliteDatabase from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fastify } from 'fastify';
import pg from 'pg';
import { type PushRequest, pushRequest } from '../../../src/contract/push.ts';

/**
 * The smallest server that can make the promise of a push: it authenticates, counts, checks by the contract,
 * and durably stores a message and a delivery for each phone before it answers. It has no history, channels,
 * quota or order, and delivers nothing.
 */
export interface MinimalSettings {
	/** Folder of the embedded store; undefined for PostgreSQL. */
	directory: string | undefined;
	databaseUrl: string;
	/** Keys of the accounts, each with one phone. */
	keys: string[];
}

interface Push {
	account: number;
	content: string;
}

/** The accounts and their pushes. */
interface Store {
	/** The accounts behind hashes of keys, undefined for an unknown key; counts a request of each. */
	authenticate(hashes: readonly string[]): Promise<Array<number | undefined>>;
	store(pushes: readonly Push[]): Promise<void>;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

const TABLES = `
	create table keys (hash text primary key, account bigint not null);
	create table phones (id bigint primary key, account bigint not null);
	create index phones_by_account on phones (account);
`;

function openSqlite(directory: string, keys: readonly string[]): Store {
	const db = new SqliteDatabase(join(directory, 'minimal.db'));
	db.pragma('journal_mode = WAL');
	db.pragma('synchronous = FULL');
	db.exec(`${TABLES}
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
	const storeAll = db.transaction((pushes: readonly Push[]) => {
		for (const { account, content } of pushes) {
			const { lastInsertRowid } = insertMessage.run(account, content);
			insertDeliveries.run(lastInsertRowid, account);
		}
	});
	return {
		authenticate: (hashes) =>
			Promise.resolve(
				hashes.map((hash) => {
					const account = accountOf.get(hash)?.account;
					if (account !== undefined) used.set(account, (used.get(account) ?? 0) + 1);
					return account;
				}),
			),
		store(pushes) {
			storeAll(pushes);
			return Promise.resolve();
		},
	};
}

async function openPostgres(url: string, keys: readonly string[]): Promise<Store> {
	pg.types.setTypeParser(pg.types.builtins.INT8, Number);
	const pool = new pg.Pool({ connectionString: url, max: 6 });
	await pool.query(`${TABLES}
		create unlogged table used (account bigint primary key, requests bigint not null)
			with (fillfactor = 50);
		create table messages (id bigserial primary key, account bigint not null, content text not null);
		create table deliveries (id bigserial primary key, message bigint not null, phone bigint not null)`);
	const hashes = JSON.stringify(keys.map(hashOf));
	await pool.query(
		`insert into keys select value, place - 1
			from json_array_elements_text($1::json) with ordinality as keys(value, place)`,
		[hashes],
	);
	await pool.query('insert into phones select account, account from keys');
	return {
		async authenticate(hashes) {
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
		},
		async store(pushes) {
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
		},
	};
}

/** Runs the calls of one turn of the event loop together, with at most `open` such groups at a time. */
function grouped<Q, A>(
	run: (questions: Q[]) => Promise<ReadonlyArray<A>>,
	open: number,
): (question: Q) => Promise<A> {
	let waiting: Array<{
		question: Q;
		resolve: (answer: A) => void;
		reject: (error: unknown) => void;
	}> = [];
	let isBegun = false;
	let running = 0;
	const begin = () => {
		if (isBegun || running >= open || waiting.length === 0) return;
		isBegun = true;
		setImmediate(() => {
			isBegun = false;
			running += 1;
			const group = waiting;
			waiting = [];
			run(group.map(({ question }) => question))
				.then(
					(answers) => group.forEach(({ resolve }, index) => resolve(answers[index] as A)),
					(error: unknown) => group.forEach(({ reject }) => reject(error)),
				)
				.finally(() => {
					running -= 1;
					begin();
				});
		});
	};
	return (question) =>
		new Promise((resolve, reject) => {
			waiting.push({ question, resolve, reject });
			begin();
		});
}

async function serve({ directory, databaseUrl, keys }: MinimalSettings): Promise<string> {
	const store =
		directory === undefined ? await openPostgres(databaseUrl, keys) : openSqlite(directory, keys);
	const authenticate = grouped((hashes: string[]) => store.authenticate(hashes), 2);
	const storePush = grouped<Push, undefined>(async (pushes) => {
		await store.store(pushes);
		return [];
	}, 2);
	const app = fastify();
	app.setValidatorCompiler(() => (input) => {
		const parsed = pushRequest.safeParse(input);
		return parsed.success ? { value: parsed.data } : { error: parsed.error };
	});
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.decorateRequest('account', -1);
	app.post<{ Body: PushRequest }>(
		'/api/push-notification',
		{
			schema: { body: {} },
			async onRequest(request, reply) {
				const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
				const account = await authenticate(hashOf(key));
				if (account === undefined) return reply.status(401).send({ error: 'Unauthorized' });
				request.setDecorator('account', account);
				return undefined;
			},
		},
		async (request) => {
			const account = request.getDecorator<number>('account');
			await storePush({ account, content: JSON.stringify(request.body) });
			return {
				success: true,
				devices_notified: 1,
				users_notified: 1,
				effective_channel_slugs: null,
				timestamp: new Date().toISOString(),
			};
		},
	);
	return app.listen({ host: '127.0.0.1', port: 0 });
}

process.once('message', (settings: MinimalSettings) => {
	void serve(settings).then((url) => process.send?.({ url }));
});
process.on('disconnect', () => process.exit());
