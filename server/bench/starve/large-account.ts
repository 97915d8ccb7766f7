import { type RawBuilder, sql } from 'kysely';
import { changeState } from '../../src/service/shown/content-state.ts';
import type { Db } from '../../src/store/schema.ts';
import type { Write } from '../api/contestants/beckon.ts';
import { seedAccounts } from '../api/seed.ts';
import { seedMember } from '../pages/seed-member.ts';
import { MANY_PHONES } from './open-pages.ts';

/** Sizes of the account whose console is queried, and whose history is deleted. */
export const SIZES = {
	phones: MANY_PHONES.phones,
	people: 1_000,
	/** Each with a thousand phones; the first also has the person of all phones. */
	channels: 100,
	/** Each with its hundred values. */
	metrics: 300,
	running: 10_000,
	quiet: 10_000,
	history: 100_000,
	/** The newest pushes went to all phones. */
	pushesToAll: 24,
	/** Updates of one Live Activity, on ten phones. */
	updates: 4_800,
};

const PHONES_OF_ACTIVITY = 10;

/** The Live Activity with many updates, and one of the pushes to all phones. */
export const ENTRIES = { activity: 'act_long', push: 'all_0' };

const ACCOUNT = `acc_${MANY_PHONES.first}`;
const PERSON = `usr_${MANY_PHONES.first}`;
const phone = (n: RawBuilder<unknown>) => sql`'dev_${sql.raw(String(MANY_PHONES.first))}_' || ${n}`;

/** The numbers from 0, as a table `numbers(n)`. */
const numbers = (count: number) => sql`with recursive numbers(n) as
	(select 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(count)})`;

/**
 * Writes the account's rows into the tables. All of it is `ageMs` old.
 * @returns the token of its owner's session
 */
export async function seedLargeAccount(write: Write, ageMs: number): Promise<string> {
	await write((db) => seedAccounts(db, { first: 0, accounts: 2, phones: 1 }));
	await write((db) => seedAccounts(db, MANY_PHONES));
	const at = Date.now() - ageMs;
	for (const statement of rows(at)) await write((db) => statement.execute(db));
	return write((db: Db) => seedMember(db, MANY_PHONES.first));
}

function rows(at: number): Array<RawBuilder<unknown>> {
	const [account, time] = [sql.lit(ACCOUNT), sql.lit(at)];
	const content = changeState(undefined, { type: 'progress', title: 'Backup', percentage: 0 }, at);
	const state = sql.lit(JSON.stringify(content));
	const running = sql.lit(JSON.stringify({ activity: { content_state: content } }));
	const push = sql.lit('{"title":"New order","message":"Two loaves"}');
	const delivered = sql`insert into deliveries
		(message_id, device_id, lane, state, attempts, next_attempt_at, acknowledged_at)`;
	/** Messages of entries, by the beginning of their ids, to some of the phones. */
	const deliver = (entries: string, phones: number, lane: RawBuilder<unknown>) => sql`
		${delivered} ${numbers(phones)}
		select messages.id, ${phone(sql`n`)}, ${lane}, 'received', 0, ${time}, ${time}
		from messages cross join numbers
		where messages.history_id >= ${sql.lit(entries)} and messages.history_id < ${sql.lit(`${entries}~`)}`;
	const entries = (prefix: string, count: number, kind: string, offset: number) => [
		sql`insert into history (id, account_id, kind, title, created_at, ended_at)
			${numbers(count)} select ${sql.lit(prefix)} || n, ${account}, ${sql.lit(kind)}, 'Entry ' || n, ${time} + n + ${sql.lit(offset)}, null from numbers`,
	];
	return [
		sql`insert into users (id, account_id, name, created_at)
			${numbers(SIZES.people)} select 'per_' || n, ${account}, 'Person ' || n, ${time} from numbers`,
		sql`insert into channels (id, account_id, slug, name, created_at)
			${numbers(SIZES.channels)} select 'chn_' || n, ${account}, 'channel-' || n, 'Channel ' || n, ${time} from numbers`,
		sql`insert into channel_devices (channel_id, device_id)
			${numbers(SIZES.phones)} select channels.id, ${phone(sql`n`)} from channels cross join numbers
			where n < ${sql.lit(SIZES.phones / 10)} and channels.account_id = ${account}`,
		sql`insert into channel_users (channel_id, user_id) values ('chn_0', ${sql.lit(PERSON)})`,
		sql`insert into metrics (account_id, key, name, format, value_json, measured_at, created_at)
			${numbers(SIZES.metrics)} select ${account}, 'metric.' || n, 'Metric', 'number', '1', ${time}, ${time} from numbers`,
		sql`insert into metric_values (account_id, metric_key, value_json, measured_at)
			${numbers(100)} select metrics.account_id, metrics.key, cast(n as text), ${time} from metrics cross join numbers
			where metrics.account_id = ${account}`,
		...entries('his_', SIZES.history, 'push', 0),
		sql`insert into messages (account_id, history_id, kind, content_json, created_at)
			${numbers(SIZES.history)} select ${account}, 'his_' || n, 'push', ${push}, ${time} from numbers`,
		deliver('his_', 1, sql`null`),
		...entries('act_', SIZES.running, 'activity', SIZES.history),
		sql`insert into activities (id, account_id, stream_key, state_json, actions_json, started_at, updated_at)
			${numbers(SIZES.running)} select 'act_' || n, ${account}, 'stream-' || n, ${state}, '{}', ${time} + n, ${time} from numbers`,
		sql`insert into activity_devices (activity_id, device_id)
			${numbers(SIZES.running)} select 'act_' || n, ${phone(sql`n`)} from numbers`,
		sql`insert into streams (account_id, stream_key, activity_id, updated_at)
			${numbers(SIZES.running)} select ${account}, 'stream-' || n, 'act_' || n, ${time} from numbers`,
		sql`insert into streams (account_id, stream_key, state_json, updated_at)
			${numbers(SIZES.quiet)} select ${account}, 'quiet-' || n, ${state}, ${time} from numbers`,
		...entries('all_', SIZES.pushesToAll, 'push', SIZES.history + SIZES.running),
		sql`insert into messages (account_id, history_id, kind, content_json, created_at)
			${numbers(SIZES.pushesToAll)} select ${account}, 'all_' || n, 'push', ${push}, ${time} from numbers`,
		deliver('all_', SIZES.phones, sql`null`),
		sql`insert into history (id, account_id, kind, title, created_at, ended_at)
			values (${sql.lit(ENTRIES.activity)}, ${account}, 'activity', 'Long', ${time}, ${time})`,
		sql`insert into activities (id, account_id, state_json, actions_json, started_at, updated_at, ended_at)
			values (${sql.lit(ENTRIES.activity)}, ${account}, ${state}, '{}', ${time}, ${time}, ${time})`,
		// On all phones, though only ten of them have received the updates.
		sql`insert into activity_devices (activity_id, device_id)
			${numbers(SIZES.phones)} select ${sql.lit(ENTRIES.activity)}, ${phone(sql`n`)} from numbers`,
		sql`insert into messages (account_id, history_id, kind, content_json, created_at)
			${numbers(SIZES.updates)} select ${account}, ${sql.lit(ENTRIES.activity)}, 'activity_update', ${running}, ${time} from numbers`,
		deliver(ENTRIES.activity, PHONES_OF_ACTIVITY, sql`'activity'`),
	];
}
