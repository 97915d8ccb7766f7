import { MINUTE_MS } from '../../durations.ts';
import { forEachAccount } from '../../regular-work.ts';
import { fromJson } from '../../store/json.ts';
import { messageById } from '../../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { listReceivers, retireDeliveries } from '../../store/outbox/repeats.ts';
import { dueQuestions } from '../../store/questions.ts';
import type { AudienceDevice } from '../../store/phones/device-audience.ts';
import { historyChannels } from '../../store/history/history.ts';
import type { Db } from '../../store/schema.ts';
import { loadLanes } from '../sending/delivery-lanes.ts';
import { decideAudience, loadReach } from '../sending/audience.ts';
import { newDelivery, storeDeliveries } from '../sending/outgoing.ts';
import { messageUrgency } from '../quiet/urgency.ts';
import { type Context, isoTime } from '../context.ts';
import { firstDue } from './decide.ts';
import { type Changed, changeQuestion, endByDeadline, tell } from './change.ts';
import { type Known, loadQuestions, questionLane, timeOf, toTerms } from './question.ts';

/** Questions handled in one round, and in one write: a write blocks the others for some milliseconds. */
const AT_ONCE = { round: 500, write: 20 };

/**
 * Ends the questions whose deadline has passed, and makes the reminders and escalations that are due. Only one of
 * several servers does each: it checks again in a write of the account.
 */
export async function settleDueQuestions(context: Context): Promise<void> {
	const { database } = context;
	const time = await timeOf(database.read, context);
	const due = await dueQuestions(database.read, time, AT_ONCE.round);
	await forEachAccount(due, async (accountId, questions) => {
		for (let at = 0; at < questions.length; at += AT_ONCE.write) {
			const ids = questions.slice(at, at + AT_ONCE.write).map(({ id }) => id);
			const changed = await database.write(accountId, (db) => settle(db, context, accountId, ids));
			tell(context, accountId, changed);
			for (const { device } of changed.deliveries) context.openPages.dismissalsChanged(device.id);
		}
	});
}

async function settle(
	db: Db,
	context: Context,
	accountId: string,
	ids: readonly string[],
): Promise<Changed> {
	const time = await timeOf(db, context);
	const all: Changed = { deliveries: [], ended: [] };
	const found = await loadQuestions(db, accountId, { ids, limit: ids.length });
	for (const id of ids) {
		const known = found.find(({ row }) => row.id === id);
		const { due_at: dueAt = null, deadline_at: deadline = 0 } = known?.row ?? {};
		if (!known || dueAt === null || dueAt > time) continue;
		if (deadline <= time) {
			const { deliveries, ended } = await endByDeadline(db, context, known);
			all.deliveries.push(...deliveries);
			all.ended.push(...ended);
		} else all.deliveries.push(...(await deliverAgain(db, context, known, time)));
	}
	return all;
}

/** Makes its escalation, or else a reminder, and schedules what comes next. */
async function deliverAgain(
	db: Db,
	context: Context,
	known: Known,
	time: number,
): Promise<OutgoingDelivery[]> {
	const { row } = known;
	const { remind, escalate } = toTerms(row);
	const isEscalation = escalate && row.escalate_at !== null && row.escalate_at <= time;
	const caller = { accountId: row.account_id, keyId: row.api_key_id, channels: null };
	const own = fromJson<string[]>(await historyChannels(db, row.id)) ?? null;
	const further = row.escalated_json === null ? [] : (escalate?.target.channels ?? []);
	const slugs = isEscalation ? escalate.target.channels : own && [...new Set([...own, ...further])];
	const reaches = await loadReach(db, [{ accountId: row.account_id, slugs }]);
	const reach = reaches.get(row.account_id) ?? { devices: [], channels: new Map() };
	// A channel may have been deleted since.
	const existing = slugs?.filter((slug) => reach.channels.has(slug));
	const { devices: reached, muted } = decideAudience(reach, caller, existing);
	const got = new Set((await listReceivers(db, [row.message_id])).map(({ id }) => id));
	const devices = reached.filter(({ id }) => isEscalation || got.has(id));
	const deliveries = await send(db, context, known, { devices, muted });
	const left = row.reminders_left - (isEscalation ? 0 : 1);
	const remindAt = isEscalation
		? row.remind_at
		: remind && left > 0
			? time + remind.every_minutes * MINUTE_MS
			: null;
	const next = {
		remind_at: remindAt,
		reminders_left: left,
		escalate_at: isEscalation ? null : row.escalate_at,
		...(isEscalation && {
			escalated_json: JSON.stringify({ at: isoTime(time), devices_notified: devices.length }),
		}),
	};
	const due_at = firstDue({ deadline_at: row.deadline_at, ...next });
	await changeQuestion(db, context, known, { ...next, due_at });
	return deliveries;
}

/** Delivers the question to phones, in place of what they had of it. */
async function send(
	db: Db,
	{ now: clock }: Context,
	{ row }: Known,
	{ devices, muted }: { devices: readonly AudienceDevice[]; muted: ReadonlySet<string> },
): Promise<OutgoingDelivery[]> {
	const now = clock();
	const message = await messageById(db, row.message_id);
	if (!message || devices.length === 0) return [];
	const ids = devices.map(({ id }) => id);
	await retireDeliveries(db, [message.id], now, ids);
	const lanes = await loadLanes(db, new Map([[questionLane(row.id), new Set(ids)]]), now);
	const urgency = messageUrgency(message);
	const deliveries = devices.map((one) => newDelivery(message, one, { muted, urgency }, now));
	for (const delivery of deliveries) lanes.join(delivery);
	await storeDeliveries(db, deliveries, lanes);
	return deliveries;
}
