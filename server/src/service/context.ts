import type { Logger } from 'pino';
import type { OpenPages } from '../open-pages.ts';
import type { OperatorLog } from '../operator-log.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { Webhooks } from '../delivery/webhooks.ts';
import type { Database } from '../store/database.ts';
import { sharedTime } from '../store/due.ts';
import type { AddToSet, Decision } from '../store/engine/sets.ts';
import type { Db } from '../store/schema.ts';
import type { LastUsed } from './requests/last-used.ts';
import type { Cancellations } from './requests/cancellations.ts';
import type { TapOutcomes } from './taps/outcomes.ts';
import type { RequestCounts } from './requests/counts.ts';
import type { Passwords } from './people/passwords.ts';
import type { Waits } from './requests/waits.ts';

export interface ServiceSettings {
	/** Age in milliseconds at which a stream's next update starts a new activity. */
	rotationAgeMs: number;
	/** Page where a customer with an exhausted plan can change it. */
	upgradeUrl: string;
	/** The address at which people and phones reach the server; empty: not known. */
	publicUrl: string;
	allowPrivateWebhooks: boolean;
	allowPrivatePushServices: boolean;
	/** True if the server has a key for Apple's push service. */
	pushesToIphones: boolean;
	/** The secret in the links of an activity's buttons; undefined without a key for Apple's push service. */
	linkKeyOf?: ((activityId: string) => string) | undefined;
	/** Maximum open questions per account. */
	maxOpenQuestions: number;
}

/** What the decisions about a set depend on, besides what is stored. */
export type SetContext = Pick<Context, 'settings' | 'now' | 'isClockShared'>;

/**
 * Decides requests of one kind that wait at the same time: loads what they need, decides each on the state left by the
 * earlier ones, and stores the accepted ones.
 */
export type DecideSet<Q, A> = (
	db: Db,
	context: SetContext,
	requests: readonly Q[],
) => Promise<ReadonlyArray<Decision<A>>>;

/** Dependencies of every service operation. */
export interface Context {
	database: Database;
	/** Groups requests into sets, which `decide` decides: those waiting at the same time share a transaction. */
	inSets: <Q, A>(decide: DecideSet<Q, A>) => AddToSet<Q, A>;
	outbox: Outbox;
	openPages: OpenPages;
	webhooks: Webhooks;
	requests: RequestCounts;
	lastUsed: LastUsed;
	passwords: Passwords;
	tapOutcomes: TapOutcomes;
	questionWaits: Waits;
	triggerWaits: Waits;
	cancellations: Cancellations;
	settings: ServiceSettings;
	logger?: Logger | undefined;
	operatorLog?: OperatorLog | undefined;
	/** Milliseconds since 1970. */
	now: () => number;
	/** True if the database's clock decides what is due, where it has one. */
	isClockShared: boolean;
	/** Milliseconds of a monotonic clock. */
	elapsed: () => number;
}

/** The caller of the public API: an account's key and the channels the key is limited to. */
export interface Caller {
	accountId: string;
	/** null: a request from the console or the command line, not with a key. */
	keyId: string | null;
	/** The signed-in member, for a request from the console. */
	memberId?: string;
	/** null: the key reaches every device of the account. */
	channels: readonly string[] | null;
	/** True if the text of its pushes is Markdown. */
	isMarkdown?: boolean;
	/** The id of the request, stored with the history entry that it creates. */
	requestId?: string;
	/** Called with the id of the history entry that the request creates or changes. */
	onRecorded?: (historyId: string) => void;
}

/** Now, by the clock that decides what is due: the database's if several servers can share it. */
export async function timeOf(db: Db, context: Pick<Context, 'now' | 'isClockShared'>) {
	const { now, isClockShared } = context;
	return (isClockShared ? await sharedTime(db) : undefined) ?? now();
}

export function isoTime(ms: number): string {
	return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null = null): string | null {
	return ms === null ? null : isoTime(ms);
}
