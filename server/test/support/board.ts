import { Board, type LiveActivity, type LoadedRows } from '../../src/service/sending/board.ts';
import { toContent } from '../../src/service/shown/content.ts';
import type { ActivityChange } from '../../src/service/activities/lifecycle.ts';
import type { ActivityState } from '../../src/service/shown/content-state.ts';
import { Lanes } from '../../src/service/sending/delivery-lanes.ts';
import type { OutgoingMessage } from '../../src/service/sending/outgoing.ts';
import type { SendingAccount } from '../../src/service/sending/account.ts';
import type { InLane } from '../../src/store/outbox/deliveries.ts';
import type { ActivityRow, StreamRow } from '../../src/store/schema.ts';
import { device, NOW, settings } from './decisions.ts';
import { STATES } from './samples.ts';

/** The streams and Live Activities that decide functions get, made without a store. */

export const ROTATION_AGE = 1_000;

export function boardWith(sender: SendingAccount, loaded: Partial<LoadedRows> = {}): Board {
	return new Board(
		{
			senders: new Map([[sender.account.id, sender]]),
			streams: [],
			activities: [],
			running: new Map(),
			...loaded,
		},
		{ settings: { ...settings, rotationAgeMs: ROTATION_AGE }, now: NOW },
	);
}

/** The lanes of the phones once the deliveries of messages are stored. @param pending those that were stored before */
export function lanesOf(
	outgoing: ReadonlyArray<Pick<OutgoingMessage, 'deliveries'>>,
	pending: readonly InLane[] = [],
): Lanes {
	const lanes = new Lanes(pending, NOW);
	for (const delivery of outgoing.flatMap(({ deliveries }) => deliveries)) lanes.join(delivery);
	return lanes;
}

/** An activity that runs on phones. */
export function activityOn(
	phones: readonly string[],
	{
		row: columns = {},
		...fields
	}: Partial<Omit<LiveActivity, 'row' | 'content'>> & { row?: Partial<ActivityRow> } = {},
): LiveActivity {
	const state = { content: STATES.alert } as unknown as ActivityState;
	const row: ActivityRow = {
		id: 'act',
		account_id: 'acc',
		stream_key: null,
		state_json: JSON.stringify(state),
		actions_json: '{}',
		channels_json: null,
		started_at: NOW - 1,
		updated_at: NOW - 1,
		ended_at: null,
		end_reason: null,
		dismiss_at: null,
		...columns,
	};
	return {
		row,
		content: toContent(row),
		tags: undefined,
		startedBy: null,
		devices: phones.map((id) => ({ ...device(id), token: null })),
		muted: new Set(),
		...fields,
	};
}

/** A stream as stored, with its activity if it has one. */
export function streamOf(key: string, fields: Partial<StreamRow> = {}): StreamRow {
	return {
		account_id: 'acc',
		stream_key: key,
		activity_id: null,
		state_json: null,
		actions_json: null,
		tags_json: null,
		channels_json: null,
		paused_at: null,
		updated_at: NOW - 1,
		...fields,
	};
}

export function changeTo(
	state: Record<string, unknown>,
	fields: Partial<ActivityChange> = {},
): ActivityChange {
	return { change: state, actions: {}, ...fields };
}
