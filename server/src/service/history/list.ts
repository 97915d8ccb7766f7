import type {
	ConsoleHistoryEntry,
	HistoryList,
	EntryDetail,
	HistoryFilter,
	HistoryQuery,
} from '../../contract/console/history.ts';
import type { ShownActivity } from '../../contract/shown.ts';
import { DELIVERY_STATE_NAMES, noPhones } from '../../contract/delivery-states.ts';
import { shortened } from '../../contract/text.ts';
import { MAX_CARRIED } from '../../delivery/message-content.ts';
import {
	type HistoryConditions,
	type HistoryCursor,
	historyPage,
	type HistoryPageRow,
} from '../../store/history/pages.ts';
import {
	deliveryStates,
	type LifecycleCursor,
	summarizeLifecycle,
} from '../../store/history/lifecycle.ts';
import { fromJson } from '../../store/schema.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { invalid } from '../refusal.ts';

/** Stretches of the history that one request searches; the console then asks whether to continue. */
const STRETCHES = 2_500;

/** Entries read at a time. */
const PAGE = 200;

/** Rows that a spreadsheet opens easily; for more, narrow the time range. */
const EXPORT_ROWS = 50_000;

/** An entry with its text, and how many messages and phones it has. */
type CountedRow = HistoryPageRow &
	Pick<ConsoleHistoryEntry, 'text' | 'messages' | 'phones' | 'reason'>;

/** Deliveries counted at a time. */
const COUNTED_AT_ONCE = 2_000;

/**
 * Counts an entry's messages and phones. Each phone counts once, by the state of its newest delivery, since a later
 * update of a Live Activity makes the earlier ones pointless.
 */
export async function withCounts({ database }: Context, row: HistoryPageRow): Promise<CountedRow> {
	const summary = await database.readInTurn((db) => summarizeLifecycle(db, row.id));
	const { messages, started } = summary;
	const phones = noPhones();
	let reason: string | null = null;
	const seen = new Set<string>();
	let before: LifecycleCursor | undefined;
	do {
		const part = { before, limit: COUNTED_AT_ONCE };
		const found = await database.readInTurn((db) => deliveryStates(db, row.id, part));
		for (const { device_id: device, state, last_error: error } of found) {
			if (seen.has(device)) continue;
			seen.add(device);
			phones[state] += 1;
			if (state === 'failed' || state === 'pending') reason ??= error;
		}
		before = found.length === COUNTED_AT_ONCE ? found.at(-1) : undefined;
		// All earlier deliveries belong to phones already counted.
	} while (before && (started === 0 || seen.size < started));
	return { ...row, text: textOf(summary.content_json), messages, phones, reason };
}

/** @param contentJson of a push, a change of a Live Activity, or a badge */
function textOf(contentJson: string | null): string | null {
	type Texts = { message?: string; subtitle?: string; activity?: ShownActivity };
	const { message, subtitle, activity } = fromJson<Texts>(contentJson) ?? {};
	const text = message ?? subtitle ?? activity?.content_state.subtitle;
	return text === undefined ? null : shortened(text, MAX_CARRIED);
}

/** The entry as the console lists it. */
export function toConsoleEntry(row: CountedRow): ConsoleHistoryEntry {
	const { api_key_id: keyId, key_name: keyName } = row;
	return {
		id: row.id,
		kind: row.kind,
		title: row.title,
		text: row.text,
		stream_key: row.stream_key,
		channels: row.channels,
		tags: row.tags,
		key: keyId === null || keyName === null ? null : { id: keyId, name: keyName },
		created_at: isoTime(row.created_at),
		ended_at: isoTimeOrNull(row.ended_at),
		messages: row.messages,
		phones: row.phones,
		reason: row.reason,
	};
}

function toConditions({ key, from, until, ...filter }: HistoryFilter): HistoryConditions {
	return {
		...filter,
		...(key !== undefined && { keyId: key === 'console' ? null : key }),
		...(from !== undefined && { from: Date.parse(from) }),
		...(until !== undefined && { until: Date.parse(until) }),
	};
}

function cursorFrom(text: string | undefined): HistoryCursor | undefined {
	if (text === undefined) return undefined;
	const [, createdAt, id] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
	if (createdAt === undefined || id === undefined)
		throw invalid('Invalid request', 'cursor must be the one that the previous page returned.');
	return { createdAt: Number(createdAt), id };
}

/** The entries page by page, newest first. With a filter, a page may be empty although more follow. */
async function* historyPages(
	context: Context,
	accountId: string,
	conditions: HistoryConditions,
	{ after, limit }: { after?: HistoryCursor | undefined; limit: number },
): AsyncGenerator<{ rows: CountedRow[]; next: HistoryCursor | undefined }> {
	const { database } = context;
	let next = after;
	let left = limit;
	do {
		const range = { after: next, limit: Math.min(PAGE, left) };
		const page = await database.readInTurn((db) => historyPage(db, accountId, conditions, range));
		left -= page.rows.length;
		next = page.next;
		const rows: CountedRow[] = [];
		for (const row of page.rows) rows.push(await withCounts(context, row));
		yield { rows, next };
	} while (next && left > 0);
}

/**
 * One page, newest first. A filter with few matches stops after a bounded distance; the response says how
 * far it got, and the cursor continues from there.
 * @throws Refusal `invalid` for a malformed cursor
 */
export async function historyForConsole(context: Context, accountId: string, query: HistoryQuery) {
	const { cursor, limit, ...filter } = query;
	const range = { after: cursorFrom(cursor), limit };
	const entries: ConsoleHistoryEntry[] = [];
	let next: HistoryCursor | undefined;
	let stretches = 0;
	for await (const page of historyPages(context, accountId, toConditions(filter), range)) {
		entries.push(...page.rows.map(toConsoleEntry));
		next = page.next;
		stretches += 1;
		if (stretches === STRETCHES) break;
	}
	return {
		entries,
		cursor: next ? `${next.createdAt}.${next.id}` : null,
		looked_back_to: next && entries.length < limit ? isoTime(next.createdAt) : null,
	} satisfies HistoryList;
}

/** The newest entries with all of the tags, for the command line. */
export async function newestHistory(
	context: Context,
	accountId: string,
	{ tags, limit }: { tags: readonly string[]; limit: number },
): Promise<Array<ConsoleHistoryEntry & Pick<EntryDetail, 'metadata'>>> {
	const entries = [];
	for await (const { rows } of historyPages(context, accountId, { tags }, { limit }))
		entries.push(...rows.map((row) => ({ ...toConsoleEntry(row), metadata: row.metadata })));
	return entries;
}

type CsvColumn = [name: string, cell: (row: CountedRow) => string | number];

const CSV_COLUMNS: CsvColumn[] = [
	['time', (row) => isoTime(row.created_at)],
	['kind', (row) => row.kind],
	['title', (row) => row.title],
	['stream_key', (row) => row.stream_key ?? ''],
	['tags', (row) => row.tags.join(' ')],
	['channels', (row) => row.channels?.join(' ') ?? 'all'],
	['key', (row) => row.key_name ?? ''],
	['ended', (row) => isoTimeOrNull(row.ended_at) ?? ''],
	['messages', (row) => row.messages],
	...DELIVERY_STATE_NAMES.map((state): CsvColumn => [state, (row) => row.phones[state]]),
	['metadata', (row) => (row.metadata ? JSON.stringify(row.metadata) : '')],
	['id', (row) => row.id],
];

/**
 * Places where a spreadsheet starts a cell, and thus a formula. Some also accept semicolons and tabs as
 * separators, and fullwidth signs.
 */
const FORMULA_START = /(^|[;\t\r\n])(\s*[=+\-@＝＋－＠])/g;

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would read as a formula is prefixed with an
 * apostrophe: a sender's text must not run on the reader's machine.
 */
function csvLine(cells: readonly (string | number)[]): string {
	const quoted = cells.map((cell) => {
		if (typeof cell === 'number') return String(cell);
		const harmless = cell.replaceAll(FORMULA_START, "$1'$2");
		return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
	});
	return `${quoted.join(',')}\r\n`;
}

/** The entries as lines of CSV, newest first, read while they are sent. */
export async function* historyCsv(context: Context, accountId: string, filter: HistoryFilter) {
	yield csvLine(CSV_COLUMNS.map(([name]) => name));
	const range = { limit: EXPORT_ROWS };
	for await (const { rows } of historyPages(context, accountId, toConditions(filter), range))
		for (const row of rows) yield csvLine(CSV_COLUMNS.map(([, cell]) => cell(row)));
}
