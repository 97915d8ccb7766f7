import type { Answer } from './shown.ts';

/** Without a schema: the phone's page bundles it. Buttons that are called by what is then done. */
const DONE: ReadonlyMap<string, string> = new Map(
	Object.entries({
		accept: 'Accepted',
		allow: 'Allowed',
		approve: 'Approved',
		confirm: 'Confirmed',
		decline: 'Declined',
		deny: 'Denied',
		disapprove: 'Disapproved',
		reject: 'Rejected',
	}),
);

/**
 * Who answered, and how: “Approved by Ada”, or for any other button “Tomorrow” by Ada.
 * @param time as the person reads it; left out where their time zone is not known
 */
export function answerWords({ button, by }: Pick<Answer, 'button' | 'by'>, time?: string): string {
	const what = DONE.get(button.toLowerCase()) ?? `“${button}”`;
	return `${what} by ${by}${time === undefined ? '' : `, ${time}`}`;
}
