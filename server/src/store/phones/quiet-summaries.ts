import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { dueRows } from '../due.ts';
import { updateBy } from '../engine/by-key.ts';
import { rowsStatement } from '../engine/json-rows.ts';
import { HELD } from '../outbox/deliveries.ts';
import type { Tables } from '../schema.ts';
import { SHOWN } from './inbox.ts';

export type QuietSummary = Selectable<Tables['quiet_summaries']>;

/**
 * Plans summaries, at most one per device. A device already waiting for one gets the new time, and keeps its
 * first delivery unless this one is older: an older one may be held back later, when it is attempted again.
 */
export const planSummaries = rowsStatement(
	'quiet_summaries',
	['device_id', 'account_id', 'first_delivery_id', 'due_at'],
	(_db, rows) => sql`
		insert into quiet_summaries (device_id, account_id, first_delivery_id, due_at) ${rows}
		where true on conflict (device_id) do update set due_at = excluded.due_at,
			first_delivery_id = case
				when excluded.first_delivery_id < quiet_summaries.first_delivery_id then excluded.first_delivery_id
				else quiet_summaries.first_delivery_id
			end`,
);

/** Changes the device's summary, if it waits for one. */
export const updateSummary = updateBy('quiet_summaries', 'device_id');

/** The summaries that are due. */
export const dueSummaries = dueRows('quiet_summaries', {
	key: ['device_id'],
	at: 'due_at',
	isOnce: true,
});

/** A push that was held back, and how many there are on its device. */
export interface HeldPush {
	device_id: string;
	total: number;
	content_json: string;
}

/** The newest pushes named in a summary. */
const NAMED_PUSHES = 3;

/** A question on the lock screen, which has a lane; as in the index deliveries_not_shown. */
const ASKED = sql<SqlBool>`deliveries.lane is not null and deliveries.lane like 'question:%'
	and deliveries.dismissed_at is null and deliveries.muted = 0`;

/** The deliveries that were held back on devices, of those that meet the condition of an index. */
const heldIn = (rows: RawBuilder<unknown>, condition: RawBuilder<SqlBool>) => sql`
	select deliveries.device_id, deliveries.message_id, deliveries.id
	from (${rows}) as asked
	cross join deliveries
	where deliveries.device_id = asked.device_id and deliveries.id >= asked.first_delivery_id
		and deliveries.held = ${sql.lit(HELD.untilQuietEnds)} and ${condition} and deliveries.state <> 'failed'`;

/** The newest pushes each device's summary is about, newest first, except those dismissed since. */
export const heldPushes = rowsStatement(
	'quiet_summaries',
	['device_id', 'first_delivery_id'],
	(_db, rows) => sql<HeldPush>`
		select held.device_id, held.total, messages.content_json
		from (
			select device_id, message_id, id, row_number() over (partition by device_id order by id desc) as place,
				count(*) over (partition by device_id) as total
			from (${heldIn(rows, SHOWN)} union all ${heldIn(rows, ASKED)}) as pushes
		) as held
		inner join messages on messages.id = held.message_id
		where held.place <= ${sql.lit(NAMED_PUSHES)}
		order by held.device_id, held.id desc`,
);
