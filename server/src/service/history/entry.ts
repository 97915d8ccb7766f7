import type {
	EntryDetail,
	HistoryMessage,
	HistoryPartQuery,
	HistoryTap,
} from '../../contract/console/history.ts';
import type { TapResponse } from '../../contract/device.ts';
import type { PhoneAnswerResponse } from '../../contract/questions.ts';
import { adviceFor } from '../../delivery/advice.ts';
import { historyPage } from '../../store/history/pages.ts';
import { type LifecycleCursor, lifecyclePart } from '../../store/history/lifecycle.ts';
import { fromJson, type TapRow } from '../../store/schema.ts';
import { HELD } from '../../store/outbox/deliveries.ts';
import { toFailures } from '../../store/outbox/outcomes.ts';
import { tapsOn } from '../../store/taps/taps.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { unsubscribedAt, unsubscribedSince } from '../phones/devices.ts';
import { notFound } from '../refusal.ts';
import { loadQuestion, toState } from '../questions/question.ts';
import { findSentPush } from '../sending/again.ts';

import { toConsoleEntry, withCounts } from './list.ts';

/** Taps shown per entry; a button tapped all day has more. */
const TAPS_SHOWN = 100;

/** Deliveries shown at a time: a Live Activity may have thousands of updates, and a push may go to 10,000 phones. */
const DELIVERIES_SHOWN = 100;

function lifecycleCursorFrom(text: string | undefined): LifecycleCursor | undefined {
	const [message, device = null, delivery] = text?.split('.') ?? [];
	if (message === undefined) return undefined;
	return { message_id: Number(message), device_id: device, id: Number(delivery) };
}

/**
 * An entry and its deliveries: the newest part, or the part before `before`, with only the deliveries that match.
 * @throws Refusal `not_found`
 */
export async function historyEntry(
	context: Context,
	accountId: string,
	id: string,
	{ before, state, search = '' }: HistoryPartQuery = {},
): Promise<EntryDetail> {
	const { database } = context;
	// Read one more than shown, to find out whether there are earlier ones.
	const limit = DELIVERIES_SHOWN + 1;
	const part = { before: lifecycleCursorFrom(before), limit, state, search };
	const [found] = (await historyPage(database.read, accountId, { id }, { limit: 1 })).rows;
	if (!found) throw notFound('Entry not found', 'There is no such history entry.');
	const row = await withCounts(context, found);
	const again = await database.readInTurn((db) => findSentPush(db, accountId, id));
	const question = await loadQuestion(database.read, accountId, id);
	const [rows, taps] = await Promise.all([
		database.readInTurn((db) => lifecyclePart(db, row.id, part)),
		database.readInTurn((db) => tapsOn(db, row.id, TAPS_SHOWN)),
	]);
	const earliest = rows.length > DELIVERIES_SHOWN ? rows.at(-2) : undefined;
	return {
		...toConsoleEntry(row),
		metadata: row.metadata,
		request_id: row.request_id,
		end_reason: row.end_reason,
		again: again?.phones.size ?? null,
		earlier: earliest ? [earliest.message_id, earliest.device_id, earliest.id].join('.') : null,
		lifecycle: toMessages(rows.slice(0, DELIVERIES_SHOWN).reverse()),
		taps: taps.map(shownTap),
		question: question ? toState(question) : null,
	};
}

type LifecycleRow = Awaited<ReturnType<typeof lifecyclePart>>[number];

/** @param rows oldest first */
function toMessages(rows: readonly LifecycleRow[]): HistoryMessage[] {
	const messages: HistoryMessage[] = [];
	for (const row of rows) {
		const { message_id: id, device, state, attempts } = row;
		if (messages.at(-1)?.id !== id) {
			const content = JSON.parse(row.content_json) as unknown;
			const message = { id, kind: row.kind, created_at: isoTime(row.created_at), content };
			messages.push({ ...message, deliveries: [] });
		}
		// A message without deliveries has one row.
		if (device === null || state === null || attempts === null) continue;
		messages.at(-1)?.deliveries.push({
			device,
			user: row.user ?? '',
			state,
			attempts,
			error: row.last_error,
			failures: toFailures(row.failures),
			advice: adviceOn(row),
			held_back: row.held !== HELD.no,
			handed_over_at: isoTimeOrNull(row.handed_over_at),
			acknowledged_at: isoTimeOrNull(row.acknowledged_at),
			dismissed_at: isoTimeOrNull(row.dismissed_at),
		});
	}
	return messages;
}

const SILENT: Record<number, string> = {
	[HELD.untilQuietEnds]:
		'The phone was quiet. Send what must interrupt as critical, or change its quiet times.',
	[HELD.onActivity]: 'The phone shows it as a Live Activity.',
	[HELD.belowMinimumLevel]:
		'The level is below the minimum that the phone is set to. Raise the level, or lower the minimum.',
};

function adviceOn(row: LifecycleRow): string | null {
	const { muted, held, last_error: error, state, platform } = row;
	if (muted === 1)
		return 'The phone has muted every channel that it was sent to. Unmute one of them on the phone.';
	const since = state === 'stored' && platform ? unsubscribedAt({ ...row, platform }) : null;
	if (since !== null && held === HELD.no) return unsubscribedSince(since);
	return SILENT[held ?? HELD.no] ?? adviceFor(error ?? '') ?? null;
}

function shownTap(tap: TapRow): HistoryTap {
	const response = fromJson<TapResponse | (PhoneAnswerResponse & { status?: never })>(
		tap.outcome_json,
	);
	return {
		user: tap.user_name,
		device: tap.device_name,
		button: tap.button,
		at: isoTime(tap.created_at),
		outcome: response?.outcome ?? null,
		status: response?.status ?? null,
		message: response?.message ?? '',
	};
}
