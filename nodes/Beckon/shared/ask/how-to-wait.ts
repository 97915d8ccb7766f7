import { isOwnRun } from '../../../../src/n8n/run';
import type { Answer } from '../../../../src/rules/answer';
import { checks } from '../../../shared/declared/hooks';
import { issuesIn } from '../../../shared/errors/explanation';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { choice, field, sendsBy, shownIf } from '../field';
import { APPROVAL, CHOICES } from './choices';

export const FREE_TEXT = 'freeText';

/** Response types that are answered on the phone itself. */
export const ON_THE_PHONE = [APPROVAL, CHOICES, FREE_TEXT];

const CALLED_BACK = 'calledBack';
const KEEP_RUNNING = 'keepRunning';

/** For the options. A form needs the callback: n8n serves its page only while the execution is stored. */
export const howToWaitField = field('How to Wait', 'howToWait', {
	description: 'How the answer gets to n8n',
	...choice(CALLED_BACK, {
		[CALLED_BACK]: ['Called Back', 'The Beckon server calls n8n, also after a restart of n8n'],
		[KEEP_RUNNING]: ['Keep Running', 'If it cannot reach n8n; a restart of n8n ends the wait'],
	}),
	...shownIf({ '/responseType': ON_THE_PHONE }),
	...sendsBy(
		checks((read) => read.choice('howToWait', 'options.howToWait', [CALLED_BACK, KEEP_RUNNING])),
	),
});

type Context = Parameters<typeof isOwnRun>[0];

/** True if the execution itself waits for the answer, as it must in an agent that runs its tools in its own node. */
export function keepsRunning(read: FieldReader, context: Context): boolean {
	const isChosen = read.text('howToWait', 'options.howToWait') === KEEP_RUNNING;
	const isOnPhone = ON_THE_PHONE.includes(read.text('responseType', 'responseType') ?? '');
	return isOnPhone && (isChosen || !isOwnRun(context));
}

/**
 * Advice if the service refused the address that it has to call: plain http, or not a web address.
 * @param resumeUrl the address; the advice names only its origin, because the rest is secret
 */
export function reachAdvice(answer: Answer, resumeUrl: string): string | undefined {
	if (!issuesIn(answer).some(({ path }) => path === 'callback.url')) return undefined;
	const origin = resumeUrl.replace(/^([a-z\d+.-]+:\/\/)?(?:[^/?#]*@)?([^/?#]*).*$/is, '$1$2');
	return [
		`The Beckon server must call n8n at ${origin}, and be able to reach it there.`,
		'It calls http and private addresses only with the setting BECKON_WEBHOOK_ALLOW_PRIVATE=true:',
		'set it on the Beckon server and start the server again,',
		"or set n8n's WEBHOOK_URL to its public https address, or How to Wait to Keep Running.",
	].join(' ');
}
