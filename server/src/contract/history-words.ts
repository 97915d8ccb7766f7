import type { HistoryTap } from './console/history.ts';

/** Words for the parts of a history entry, in the console and on the command line. */
export const STEPS: Record<string, string> = {
	push: 'Sent',
	push_update: 'Answered',
	badge: 'Set',
	activity_start: 'Started',
	activity_update: 'Updated',
	activity_end: 'Ended',
};

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
