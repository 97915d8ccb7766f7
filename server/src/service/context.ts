import type { OpenPages } from '../open-pages.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { Webhooks } from '../delivery/webhooks.ts';
import type { Database } from '../store/database.ts';
import type { LastUsed } from './last-used.ts';
import type { TapOutcomes } from './tap-outcomes.ts';
import type { RequestCounts } from './request-counts.ts';
import type { Passwords } from './passwords.ts';
import type { Waits } from './waits.ts';

export interface ServiceSettings {
	/** Age in milliseconds at which a stream's next update starts a new activity. */
	rotationAgeMs: number;
	/** Page where a customer with an exhausted plan can change it. */
	upgradeUrl: string;
	/** Where people and phones reach the server; empty: not known. */
	publicUrl: string;
	allowPrivateWebhooks: boolean;
	allowPrivatePushServices: boolean;
	/** True if the server has a key for Apple's push service. */
	pushesToIphones: boolean;
	/** Most open questions of an account. */
	mostOpenQuestions: number;
}

/** Tells whoever asked that a question has ended. */
interface QuestionCallbacks {
	/** Begins those that are due. */
	begin: (context: Context) => Promise<void>;
	/** Waits for those under way. */
	settle: () => Promise<void>;
}

/** Dependencies of every service operation. */
export interface Context {
	database: Database;
	outbox: Outbox;
	openPages: OpenPages;
	webhooks: Webhooks;
	requests: RequestCounts;
	lastUsed: LastUsed;
	passwords: Passwords;
	tapOutcomes: TapOutcomes;
	questionWaits: Waits;
	triggerWaits: Waits;
	questionCallbacks: QuestionCallbacks;
	settings: ServiceSettings;
	/** Milliseconds since 1970. */
	now: () => number;
	/** True if the database's clock decides deadlines, where it has one. */
	isClockShared: boolean;
	/** Milliseconds of a monotonic clock. */
	elapsed: () => number;
}

/** The caller of the public API: an account's key and the channels the key is restricted to. */
export interface Caller {
	accountId: string;
	/** null: a request from the console or the command line, not with a key. */
	keyId: string | null;
	/** null: the key reaches every device of the account. */
	channels: readonly string[] | null;
	/** True if the text of its pushes is Markdown. */
	isMarkdown?: boolean;
	/** Of its request, to be stored with the entry that it makes. */
	requestId?: string;
	/** Gets the id of the history entry that the request makes or changes. */
	recorded?: (historyId: string) => void;
}

export function isoTime(ms: number): string {
	return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null = null): string | null {
	return ms === null ? null : isoTime(ms);
}
