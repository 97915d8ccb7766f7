import type { Answer } from './shown.ts';

/**
 * Labels of buttons that are verbs, with words for their result. Not "Allow" and "Deny" of coding agents: those may have
 * been answered in the terminal, without a sign of it. Schema-free: the phone's page bundles this file.
 */
const DONE: ReadonlyMap<string, string> = new Map(
	Object.entries({
		accept: 'Accepted',
		approve: 'Approved',
		confirm: 'Confirmed',
		decline: 'Declined',
		disapprove: 'Disapproved',
		reject: 'Rejected',
	}),
);

/**
 * The answer in words: “Approved by Ada”, or for any other button “Tomorrow” by Ada.
 * @param time in the person's time zone; omitted if that is not known
 */
export function answerWords(
	{ button, typed, by }: Pick<Answer, 'button' | 'typed' | 'by'>,
	time?: string,
): string {
	const done = typed ? undefined : DONE.get(button.toLowerCase());
	const what = done ?? `“${button}”`;
	return `${what} by ${by}${time === undefined ? '' : `, ${time}`}`;
}
