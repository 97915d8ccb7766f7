import type { Insertable, Kysely, Selectable } from 'kysely';
import { accountTables } from './tables/accounts.ts';
import type { RowsOf } from './tables/columns.ts';
import { consoleTables } from './tables/console.ts';
import { historyTables } from './tables/history.ts';
import { metricTables } from './tables/metrics.ts';
import { outboxTables } from './tables/outbox.ts';
import { phoneTables } from './tables/phones.ts';
import { questionTables } from './tables/questions.ts';
import { triggerTables } from './tables/triggers.ts';

export type { MessageKind } from './tables/outbox.ts';

/** Every table, after those it references. */
export const TABLES = {
	...accountTables,
	...phoneTables,
	...historyTables,
	...outboxTables,
	...questionTables,
	...triggerTables,
	...metricTables,
	...consoleTables,
};

/**
 * The tables as Kysely sees them. Times are integers, milliseconds since 1970; `*_json` columns hold JSON
 * as text, so SQLite and PostgreSQL store the same; flags are 0 or 1.
 */
export type Tables = RowsOf<typeof TABLES>;

/**
 * The names of a table's columns, without some. A statement that names them all stays valid when a migration adds one.
 */
export function columnsOf<T extends keyof Tables, Without extends keyof Tables[T] & string = never>(
	table: T,
	...without: Without[]
) {
	const all = Object.keys(TABLES[table].columns);
	const columns = all.filter((column) => !without.includes(column as Without));
	return columns as Array<Exclude<keyof Tables[T] & string, Without>>;
}

/** The connection of a query: for reading, or for the transaction of a write. */
export type Db = Kysely<Tables>;

type Row<T extends keyof Tables> = Selectable<Tables[T]>;
type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;

export type AccountRow = Row<'accounts'>;
export type UserRow = Row<'users'>;
export type DeviceRow = Row<'devices'>;
export type PairCodeRow = Row<'pair_codes'>;
export type ChannelRow = Row<'channels'>;
export type ApiKeyRow = Row<'api_keys'>;
export type NewApiKey = NewRow<'api_keys'>;
export type HistoryRow = Row<'history'>;
export type NewDevice = NewRow<'devices'>;
export type NewHistory = NewRow<'history'>;
export type NewMessage = NewRow<'messages'>;
export type MessageRow = Row<'messages'>;
export type DeliveryRow = Row<'deliveries'>;
export type ActivityRow = Row<'activities'>;
export type StreamRow = Row<'streams'>;
export type MetricRow = Row<'metrics'>;
export type RepeatRow = Row<'repeats'>;
export type QuestionRow = Row<'questions'>;
export type NewQuestion = NewRow<'questions'>;
export type TriggerRow = Row<'triggers'>;
export type TriggerTapRow = Row<'trigger_taps'>;
export type SnoozeRow = Row<'snoozes'>;
export type BroadcastChannelRow = Row<'broadcast_channels'>;
export type WidgetReloadRow = Row<'widget_reloads'>;
export type TapRow = Row<'taps'>;
export type MemberRow = Row<'members'>;
export type SessionRow = Row<'sessions'>;
export type JoinLinkRow = Row<'join_links'>;
export type RequestCountRow = Row<'request_counts'>;
export type NewAuditRow = NewRow<'audit_log'>;

/** JSON for a `*_json` column; null and undefined are both stored as NULL. */
export function toJson(value: unknown): string | null {
	return value === undefined || value === null ? null : JSON.stringify(value);
}

/** The value of a `*_json` column that this program wrote as a `T`; undefined for NULL. */
export function fromJson<T>(column: string | null): T | undefined {
	return column === null ? undefined : (JSON.parse(column) as T);
}
