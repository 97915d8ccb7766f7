import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import type { RemoteChange, Topic } from '../../database.ts';
import { StoreUnusableError } from '../../errors.ts';
import { LISTENING } from '../../measured.ts';
import type { Db } from '../../schema.ts';
import { isDoneWithin } from '../../../durations.ts';

const CHANNEL = 'beckon';

/** Topics announced within this time are sent together: sending locks the whole database. */
const GATHER_MS = 20;

/** Delay before unsent topics are tried again. */
const RETRY_MS = 500;

/** Topics kept while the database is away; beyond this, it announces that anything may have changed. */
const MAX_KEPT = 20_000;

/** Topics of a statement: packing more would hold up the event loop. */
const SENT_AT_ONCE = 5_000;

/** PostgreSQL limits a notification to less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900;

/** Silence after which the listening connection is checked. */
const PROBE_EVERY_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;

const EVERYTHING = 'everything';

interface Options {
	db: Db;
	/** Creates a separate connection for listening. */
	connect: () => pg.Client;
	/** Says that the listening connection does not hear what `db` sends. */
	deaf: string;
	onError: (error: unknown) => void;
}

type Callback = (change: RemoteChange) => void;

/** Announces changes to the other processes on the database, and receives theirs. */
export class Announcements {
	readonly #options: Options;
	/** Identifies this process, whose own announcements are ignored. */
	readonly #self = randomUUID();
	readonly #callbacks = new Set<Callback>();
	#topics = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#sending: Promise<void> = Promise.resolve();
	#listener: pg.Client | undefined;
	#reconnect: NodeJS.Timeout | undefined;
	#probe: NodeJS.Timeout | undefined;
	#isAway = false;
	#isClosed = false;

	constructor(options: Options) {
		this.#options = options;
	}

	announce(topic: Topic): void {
		this.#topics.add(topic);
		this.#keepFew();
		this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
	}

	/** @throws StoreUnusableError if what `db` sends does not arrive where this process would listen */
	async test(): Promise<void> {
		const client = this.#options.connect();
		try {
			await this.#listenOn(client);
		} finally {
			end(client);
		}
	}

	onRemoteChange(callback: Callback): () => void {
		this.#callbacks.add(callback);
		if (this.#callbacks.size === 1) void this.#listen();
		return () => {
			this.#callbacks.delete(callback);
			if (this.#callbacks.size === 0) this.#stopListening();
		};
	}

	/** Sends the remaining topics. */
	async close(): Promise<void> {
		this.#isClosed = true;
		this.#stopListening();
		if (this.#timer) this.#send();
		await this.#sending;
	}

	#send(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#sending = this.#sending.then(() => this.#sendGathered());
	}

	async #sendGathered(): Promise<void> {
		const topics = [...this.#topics];
		this.#topics = new Set();
		try {
			while (topics.length > 0) {
				await this.#notify(topics.slice(0, SENT_AT_ONCE));
				topics.splice(0, SENT_AT_ONCE);
				this.#isAway = false;
			}
		} catch (error) {
			if (this.#isClosed) return;
			this.#options.onError(error);
			this.#isAway = true;
			for (const topic of topics) this.#topics.add(topic);
			this.#keepFew();
			this.#timer ??= setTimeout(() => this.#send(), RETRY_MS);
		}
	}

	#keepFew(): void {
		if (this.#isAway && this.#topics.size > MAX_KEPT) this.#topics = new Set([EVERYTHING]);
	}

	async #notify(topics: readonly string[]): Promise<void> {
		// Nothing is stored, so nothing has to reach the disk.
		await sql`
			select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, payload)
			from unnest(${packPayloads(this.#self, topics)}::text[]) as payload`.execute(this.#options.db);
	}

	async #listen(): Promise<void> {
		if (this.#isClosed || this.#callbacks.size === 0) return;
		const client = this.#options.connect();
		this.#listener = client;
		client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
		client.once('end', () => this.#lost(client));
		try {
			await this.#listenOn(client);
			await client.query(MARK_SERVER);
			this.#probe = setInterval(() => void this.#ask(client), PROBE_EVERY_MS).unref();
			LISTENING.publish(true);
			// Earlier announcements were missed.
			this.#callBack(EVERYTHING);
		} catch (error) {
			if (this.#listener === client) this.#options.onError(error);
			this.#lost(client);
		}
	}

	/** Listens, and makes sure by a notification without topics: a pooler takes LISTEN, and may lose what follows. */
	async #listenOn(client: pg.Client): Promise<void> {
		const heard = new Promise<void>((resolve, reject) => {
			client.on('notification', ({ payload }) => payload === this.#self && resolve());
			client.once('end', () => reject(new Error('The listening connection was closed')));
		});
		// Awaited below, unless listening fails first.
		heard.catch(() => undefined);
		await client.connect();
		await client.query(`listen ${CHANNEL}`);
		await this.#notify([]);
		if (!(await isDoneWithin(PROBE_TIMEOUT_MS, heard)))
			throw new StoreUnusableError(this.#options.deaf);
	}

	/** Checks the connection: one whose other end has vanished looks merely silent. */
	async #ask(client: pg.Client): Promise<void> {
		try {
			if (!(await isDoneWithin(PROBE_TIMEOUT_MS, client.query('select 1'))))
				throw new Error('No answer on the listening connection');
		} catch (error) {
			if (this.#listener === client) this.#options.onError(error);
			this.#lost(client);
		}
	}

	#lost(client: pg.Client): void {
		if (this.#listener !== client) return;
		this.#stopListening();
		if (this.#isClosed || this.#callbacks.size === 0) return;
		this.#reconnect = setTimeout(() => void this.#listen(), RETRY_MS).unref();
	}

	#stopListening(): void {
		LISTENING.publish(false);
		clearInterval(this.#probe);
		clearTimeout(this.#reconnect);
		const client = this.#listener;
		this.#listener = undefined;
		if (client) end(client);
	}

	#hear(payload: string): void {
		const [sender, ...topics] = payload.split('\n');
		if (sender === this.#self) return;
		this.#callBack(topics.includes(EVERYTHING) ? EVERYTHING : new Set(topics as Topic[]));
	}

	#callBack(change: RemoteChange): void {
		for (const callback of this.#callbacks) callback(change);
	}
}

function end(client: pg.Client): void {
	client.end().catch(() => {
		// Already broken.
	});
}

/** Packs the topics, one per line after the sender, into as few payloads as possible. */
function packPayloads(sender: string, topics: readonly string[]): string[] {
	const payloads: string[][] = [];
	let left = 0;
	for (const topic of topics) {
		const bytes = 1 + Buffer.byteLength(topic);
		if (left < bytes) {
			payloads.push([sender]);
			left = PAYLOAD_BYTES - Buffer.byteLength(sender);
		}
		payloads.at(-1)?.push(topic);
		left -= bytes;
	}
	return topics.length === 0 ? [sender] : payloads.map((lines) => lines.join('\n'));
}

/** An arbitrary number below 2^31, by which `pg_locks` lists the lock. */
const LOCK = 1_384_120_451;

/** Marks the session as that of a running server, until it ends: servers share this lock, and nobody waits for it. */
const MARK_SERVER = `select pg_advisory_lock_shared(${LOCK})`;

/** @throws StoreUnusableError naming the servers that run on the database */
export async function requireNoServers(db: Db): Promise<void> {
	const { rows } = await sql<{ server: string }>`
		select coalesce(host(client_addr), 'a local socket')
			|| to_char(backend_start at time zone 'UTC', '" (connected since "YYYY-MM-DD"T"HH24:MI:SS"Z)"') as server
		from pg_locks join pg_stat_activity using (pid)
		where locktype = 'advisory' and classid = 0 and objid = ${LOCK} and datname = current_database()
			and pg_locks.database = datid
		order by backend_start`.execute(db);
	if (rows.length === 0) return;
	const servers = rows.map(({ server }) => server).join(', ');
	throw new StoreUnusableError(
		`${rows.length === 1 ? 'A server still runs' : `${rows.length} servers still run`} on the database, from ${servers}. Stop all of them, then run this again; nothing was changed.`,
	);
}
