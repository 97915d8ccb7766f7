import { sql } from 'kysely';
import type { Caller } from '../../../../src/service/context.ts';
import { hashSecret } from '../../../../src/service/secrets.ts';
import { loadBoard } from '../../../../src/service/sending/load-board.ts';
import { decideInTurn, storeBoard } from '../../../../src/service/sending/on-board.ts';
import type { AcceptedMessage } from '../../../../src/service/sending/outgoing.ts';
import { decidePush, type PushInput } from '../../../../src/service/sending/push-decision.ts';
import { keyByHash } from '../../../../src/store/keys-and-channels/api-keys.ts';
import { isPostgres } from '../../../../src/store/engine/statement.ts';
import { openDatabase } from '../../../../src/store/open.ts';
import { markStored } from '../../../../src/store/outbox/outcomes.ts';
import type { Db } from '../../../../src/store/schema.ts';
import type { Store } from './store.ts';

const WINDOW_MS = 60_000;

/** Allowance under which no request is refused. */
const UNLIMITED = 1e9;

/** Milliseconds for which the outcomes of deliveries are gathered. */
const OUTCOMES_MS = 200;

const SETTINGS = {
	rotationAgeMs: 0,
	upgradeUrl: '',
	publicUrl: '',
	allowPrivateWebhooks: false,
	allowPrivatePushServices: false,
	pushesToIphones: false,
	maxOpenQuestions: 500,
};

/**
 * Beckon's own tables, statements and decisions in a seeded store: look-up of the key, two counts, account,
 * phones, history, message, deliveries, usage and outcomes.
 */
export async function openOwnTables(
	place: { directory: string; url: string },
	hasSecondaryIndexes: boolean,
): Promise<Store<Caller>> {
	const database = await openDatabase(place);
	if (!hasSecondaryIndexes) await database.write(null, dropSecondaryIndexes);
	let finished: number[] = [];
	setInterval(() => {
		const ids = finished;
		finished = [];
		void database.write(null, (db) => markStored(db, ids));
	}, OUTCOMES_MS).unref();
	const storePush = database.inSets<PushInput, AcceptedMessage>(async (db, asked) => {
		const board = await loadBoard(
			db,
			{ settings: SETTINGS, now: Date.now, isClockShared: false },
			asked.map(({ caller }) => ({ accountId: caller.accountId, slugs: null })),
		);
		const decisions = decideInTurn(
			board,
			asked.map((push) => ({
				decide: () => board.send(decidePush(board.senders.get(push.caller.accountId), push, board)),
			})),
		);
		await storeBoard(db, board);
		return decisions;
	});
	return {
		async authenticate(key) {
			const found = await keyByHash(database.read, hashSecret(key));
			if (found?.revoked_at !== null) return undefined;
			const { id: keyId, account_id: accountId } = found;
			const limits = ['address', accountId].map((subject) => ({ key: subject, quota: UNLIMITED }));
			await database.rateWindows.consume(limits, WINDOW_MS, Date.now());
			return { accountId, keyId, channels: null };
		},
		async store(caller, request) {
			const { deliveries } = await storePush(caller.accountId, { caller, request });
			finished.push(...deliveries.map(({ id }) => id));
		},
	};
}

/** Drops the indexes of the tables that grow with each push, except their primary keys. */
async function dropSecondaryIndexes(db: Db): Promise<void> {
	const found = isPostgres(db)
		? sql<{ name: string }>`
				select indexrelid::regclass::text as name from pg_index
				where not indisprimary
					and indrelid in ('history'::regclass, 'messages'::regclass, 'deliveries'::regclass)`
		: sql<{ name: string }>`
				select name from sqlite_master
				where type = 'index' and sql is not null and tbl_name in ('history', 'messages', 'deliveries')`;
	for (const { name } of (await found.execute(db)).rows) await db.schema.dropIndex(name).execute();
}
