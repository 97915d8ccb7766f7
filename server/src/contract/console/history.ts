import { z } from 'zod';
import { channelSlug, tag } from '../common.ts';
import {
	DELIVERY_STATE_NAMES,
	type DeliveryState,
	type PhonesByState,
} from '../delivery-states.ts';
import type { TapResponse } from '../device.ts';
import type { PhoneAnswerResponse, QuestionState } from '../questions.ts';
import { atMost, search, timestamp } from '../text.ts';

const tagList = z
	.string()
	.transform((value) => value.split(',').filter((part) => part !== ''))
	.pipe(atMost(20, z.array(tag)));

const filters = {
	kind: z.enum(['push', 'badge', 'activity']).optional(),
	/** Separated by commas; an entry must have all of them. */
	tags: tagList.optional(),
	channel: channelSlug.optional(),
	/** `failed`: on some phone. `unanswered`: a question, or a webhook button, waits for somebody. */
	outcome: z.enum(['failed', 'unanswered']).optional(),
	/** Id of a key, or `console` for things sent from the console. */
	key: z.string().min(1).max(64).optional(),
	from: timestamp.optional(),
	until: timestamp.optional(),
	/** Words that must all occur in the text sent, its tags or its metadata. */
	search,
};

export const historyQuery = z.strictObject({
	...filters,
	cursor: z.string().max(200).optional(),
	limit: z.coerce.number().int().min(1).max(200).default(50),
});
/** GET /console/api/history/:id. `before`: the `earlier` of a response; without it, the newest part. */
export const historyPartQuery = z.strictObject({
	/** Only the deliveries in this state. */
	state: z.enum(DELIVERY_STATE_NAMES).optional(),
	/** Only the deliveries to phones with these words in their names, or those of their people. */
	search,
	before: z
		.string()
		.regex(/^\d{1,15}\.[\w-]{0,64}\.\d{0,15}$/, 'must be the one that an answer named')
		.optional(),
});
export const historyExportQuery = z.strictObject(filters);

export interface ConsoleHistoryEntry {
	id: string;
	kind: HistoryKind;
	title: string;
	/** The words below the title, as last sent. */
	text: string | null;
	stream_key: string | null;
	channels: string[] | null;
	tags: string[];
	/** null if sent from the console or by the server itself. */
	key: { id: string; name: string } | null;
	created_at: string;
	ended_at: string | null;
	/** Its messages: one for a push, several for an activity. */
	messages: number;
	/** Each phone once, by its newest delivery. */
	phones: PhonesByState;
	/** Why one of the phones has failed, or waits; null: none has. */
	reason: string | null;
}

export interface HistoryList {
	entries: ConsoleHistoryEntry[];
	/** The start of the next page; null on the last page. */
	cursor: string | null;
	/** For a page that is not full although more may follow: everything since then has been searched. */
	looked_back_to: string | null;
}

export interface HistoryDelivery {
	device: string;
	/** Whose phone it is. */
	user: string;
	state: DeliveryState;
	attempts: number;
	error: string | null;
	/** The failed attempts, oldest first. */
	failures: Failure[];
	/** Why the phone did not make a sound, or what to do about the error; null: nothing. */
	advice: string | null;
	handed_over_at: string | null;
	acknowledged_at: string | null;
	dismissed_at: string | null;
	/** True if the phone was quiet, or the level below its minimum: no push service was called. */
	held_back: boolean;
}

export interface Failure {
	at: string;
	reason: string;
}

export interface HistoryMessage {
	id: number;
	kind: string;
	created_at: string;
	/** The content sent to the devices, in the form of the device protocol. */
	content: unknown;
	deliveries: HistoryDelivery[];
}

/** A tap on a button and its outcome. */
export interface HistoryTap {
	/** The names at that time. */
	user: string;
	device: string;
	button: string;
	at: string;
	/** null if the webhook has not responded, or the outcome is unknown because the server was stopped. */
	outcome: TapResponse['outcome'] | PhoneAnswerResponse['outcome'] | null;
	/** The webhook's status. */
	status: number | null;
	/** The message the person saw: the webhook's own words, if it had any. */
	message: string;
}

export interface EntryDetail extends ConsoleHistoryEntry {
	metadata: Record<string, unknown> | null;
	/** Of the request that created it, in the server's log; null: none, or not known. */
	request_id: string | null;
	end_reason: string | null;
	/** Phones that would get it if it were sent again; null: it cannot be, like all that the server itself has sent. */
	again: number | null;
	/** A part of what was sent, oldest first; a message whose deliveries fill several parts is in each of them. */
	lifecycle: HistoryMessage[];
	/** For the part before this one; null: this is the first. */
	earlier: string | null;
	/** The newest taps on its buttons, oldest first. */
	taps: HistoryTap[];
	/** The question that it asks; null: none. */
	question: QuestionState | null;
}

export interface Allowance {
	feature: string;
	quota: number;
	remaining: number;
	reset_seconds: number;
}

export interface UsageResponse {
	allowances: Allowance[];
	window_seconds: number;
	/** Requests to the public API in the last two days, by the start of the hour. */
	requests: Array<{ hour: string; feature: string; status: number; requests: number }>;
	plan: {
		plan: 'paid' | 'trial';
		trial_started_at: string | null;
		trial_ends_at: string | null;
		quota: number | null;
		overage_cap: number | null;
		/** Sends in the trial, or in this month. */
		sends: number;
		/** The reason nothing can be sent now; null if sending is possible. */
		blocked: string | null;
	};
	limits: { activities_per_device: number };
}

export type HistoryFilter = z.output<typeof historyExportQuery>;
export type HistoryKind = NonNullable<HistoryFilter['kind']>;
export type HistoryOutcome = NonNullable<HistoryFilter['outcome']>;
export type HistoryQuery = z.output<typeof historyQuery>;
export type HistoryPartQuery = z.output<typeof historyPartQuery>;
