/** Fixed values of the wire format. Schema-free: the pages bundle this file. */

export const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
] as const;

/** Apple's levels of interruption, from the quietest to the loudest. */
export const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'] as const;

export type InterruptionLevel = (typeof INTERRUPTION_LEVELS)[number];

/** Monday first, as ISO 8601 numbers them. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Ways to reach a phone at this moment, and the words for them. */
export const REACHABILITY = {
	open: 'open now',
	/** Closed, but a push service can wake it. */
	push: 'reachable by push',
	/** No push service can wake it: messages wait in its inbox until it is opened. */
	while_open: 'reachable only while open',
	disconnected: 'disconnected',
} as const;

export type Reachability = keyof typeof REACHABILITY;

/** A tag: 1 to 64 lowercase letters, digits, dashes, underscores, periods and colons. */
export const TAG_PATTERN = /^[a-z0-9._:-]{1,64}$/;

/** How long a push can be snoozed: an hour, until 20:00, or until the morning. */
export const SNOOZES = ['hour', 'tonight', 'morning'] as const;

/** What an account may do with a key, each within an allowance of its own. */
export type Feature =
	| 'notifications'
	| 'badges'
	| 'live-activities'
	| 'metrics'
	| 'lists'
	| 'images'
	| 'questions'
	| 'triggers'
	| 'mcp';

/** A slug that stands for a single phone: its id's bytes in hexadecimal (docs/api-decisions.md "One phone"). */
export const isPhoneSlug = (slug: string) => /^phone-[0-9a-f]{24}$/.test(slug);

/** Minutes a pairing code is valid. */
export const PAIR_CODE_MINUTES = 15;

/** Programs that send in their own formats: the path of each, and its name. */
const SENDERS = {
	ntfy: 'ntfy',
	gotify: 'gotify',
	alertmanager: 'Alertmanager',
	grafana: 'Grafana',
	'agent-hook': 'coding agents',
} as const;

export type SenderPath = keyof typeof SENDERS;

export const SENDER_PATHS = Object.keys(SENDERS) as SenderPath[];

/** Their names in a sentence. */
export function senderNames(conjunction: 'and' | 'or'): string {
	const names = Object.values(SENDERS);
	return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;
}

/** Things on one page of the console's lists. */
export const PER_PAGE = 24;
