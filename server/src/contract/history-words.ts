import type { HistoryMessage, HistoryTap } from './console/history.ts';
import type {
	CallbackState,
	LastCall,
	QuestionAnswer,
	QuestionState,
	ShownQuestion,
} from './questions.ts';
import type { Notification } from './shown.ts';

/** Words for the parts of a history entry, in the console and on the command line. */
const STEPS: Record<string, string> = {
	push: 'Sent',
	badge: 'Set',
	activity_start: 'Started',
	activity_update: 'Updated',
	activity_end: 'Ended',
};

const CALLBACKS: Partial<Record<CallbackState, string>> = {
	delivered: 'The callback was delivered.',
	over: 'The workflow that asked had already ended.',
	refused: 'The callback was refused.',
};

const NO_ANSWERS = {
	uncalled: 'its server could not be reached',
	unknown: 'there was no answer',
	not_allowed: 'this server does not call its address (BECKON_WEBHOOK_ALLOW_PRIVATE)',
};

/**
 * Whether the workflow that asked has been told how its question ended, and the callback's last response; undefined:
 * nobody is told.
 */
export function callbackWords({
	status,
	callback,
	callback_status: last,
}: QuestionState): string | undefined {
	if (status === 'open' || callback === 'none') return undefined;
	const words = CALLBACKS[callback] ?? 'The callback has not been delivered yet.';
	return `${words} ${lastCallWords(last)}`.trim();
}

/** The outcome of the last call of a callback. */
export function lastCallWords(last: LastCall): string {
	if (last === undefined) return '';
	return `The last call: ${typeof last === 'number' ? `answered ${last}` : NO_ANSWERS[last]}.`;
}

/** What a message of an entry did: a push's later ones answer, end or remove it. */
export function stepWords({ kind, content }: HistoryMessage): string {
	if (kind !== 'push_update') return STEPS[kind] ?? kind;
	const { question, cleared } = content as Notification;
	if (cleared) return 'Taken off the screen';
	return question ? questionWords(question) : 'Answered';
}

function questionWords({ status, answer, choices = [], callback }: ShownQuestion): string {
	const outcome = CALLBACKS[callback];
	const what = answer && (choices.find(({ id }) => id === answer.choice)?.title ?? answer.text);
	const how = {
		open: 'Changed',
		withdrawn: 'Withdrawn',
		expired: 'Expired without an answer',
		answered: `Answered${what === undefined ? '' : ` “${what}”`}${answer ? ` ${byWords(answer)}` : ''}`,
	}[status];
	return outcome === undefined ? how : `${how}. ${outcome}`;
}

function byWords({ by }: QuestionAnswer): string {
	if (by === 'form') return 'in the form';
	if (by === 'deadline') return 'because nobody answered in time';
	return `by ${by.user} ${by.device === null ? 'in the console' : `on ${by.device}`}`;
}

const OUTCOMES: Record<string, string> = {
	open: 'Opened the link',
	called: 'Done',
	unclear: 'Unclear',
	refused: 'Refused',
	failed: 'Failed',
};

/** The outcome of a tap, with the webhook's status and its own words. */
export function tapOutcome({ outcome, status, message }: HistoryTap): string {
	if (outcome === null) return 'No answer recorded';
	const code = status === null ? '' : ` (${status})`;
	const says = outcome === 'open' || message === 'Done.' ? '' : `: ${message}`;
	return `${OUTCOMES[outcome] ?? outcome}${code}${says}`;
}
