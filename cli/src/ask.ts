import { setTimeout as sleep } from 'node:timers/promises';

import { send } from './client';
import { EXIT, Failure, warn } from './failure';
import { readTexts } from './input';
import {
	RECIPIENTS,
	REFUSE_LONG,
	collected,
	collectedPairs,
	command,
	option,
	readDuration,
	readNumber,
	toBody,
	toValues,
	type FieldOptions,
	type Values,
} from './options';
import { print, stop } from './settings';

/** A question's state (docs/api-decisions.md "Questions"). */
interface Question {
	question_id: string;
	status: 'open' | 'answered' | 'expired' | 'withdrawn';
	deadline_at: string;
	answer?: { choice?: string; text?: string };
}

/** The choices if neither --choice nor --text is given. */
const APPROVAL = [
	{ id: 'approve', title: 'Approve' },
	{ id: 'decline', title: 'Decline', destructive: true },
];

const readChoices = collectedPairs((id, title) => ({ id, title }));

const readMinutes = (text: string) => Math.ceil(readDuration(text) / 60);

const FIELDS: FieldOptions = [
	option('--subtitle <text>', 'subtitle', 'line under the title'),
	option('--answerable-by <name>', 'answerable_by', 'who may answer; repeatable', collected),
	option('--choice <id=title>', 'choices', 'by default approve and decline', readChoices),
	option('--within <time>', 'deadline.after_seconds', 'time to answer: 10m or 2h', readDuration),
	option('--default <id>', 'deadline.choice', 'the choice that counts if nobody answers'),
	option('--remind-every <time>', 'remind.every_minutes', 'ring again, as 15m', readMinutes),
	option('--remind-times <number>', 'remind.times', 'how many, by default 3', readNumber),
	...RECIPIENTS,
];

const EXIT_CODES = `
Exit codes: 0 answered, ${EXIT.declined} answered with the choice decline, ${EXIT.expired} nobody answered in time,
${EXIT.withdrawn} withdrawn, ${EXIT.failed} not asked. A question whose command is interrupted is withdrawn.`;

/** Milliseconds before asking again after a missing answer, and the limit for a withdrawal. */
const PAUSE = 2000;
const WITHDRAWAL_WITHIN = 5000;

export const ask = command('ask <title> [message]', 'ask, wait, and print the answer', FIELDS)
	.option('--text', 'a typed answer')
	.addOption(REFUSE_LONG)
	.addHelpText('after', EXIT_CODES)
	.action(async (title: string, message: string | undefined, options: Values) => {
		const body = toQuestion({ ...(await readTexts(title, message)) }, options);
		// An interruption waits for the id, without which the question cannot be withdrawn.
		const late = new AbortController();
		const interrupt = () => setTimeout(() => late.abort(), WITHDRAWAL_WITHIN).unref();
		stop.signal.addEventListener('abort', interrupt);
		const call = { method: 'POST', path: '/questions', body } as const;
		const asked = await send<Question>(call, { signal: late.signal });
		if (process.stderr.isTTY)
			warn(`Waiting for the answer until ${new Date(asked.deadline_at).toLocaleString()}.`);
		const path = `/questions/${asked.question_id}`;
		const ended = await waitForAnswer(path).catch(async (error: unknown) => {
			// Uses its own signal, since the command's is aborted.
			const how = { within: WITHDRAWAL_WITHIN, signal: new AbortController().signal };
			if (stop.signal.aborted) await send({ method: 'DELETE', path, body: {} }, how);
			throw error;
		});
		const { status, answer: { choice, text } = {} } = ended;
		if (status !== 'answered')
			throw new Failure(...(UNANSWERED[status] ?? UNKNOWN_END), { body: ended });
		print(choice ?? text ?? '', ended);
		if (choice === 'decline') process.exitCode = EXIT.declined;
	});

function toQuestion(texts: Values, options: Values): Record<string, unknown> {
	const values = { ...toValues(FIELDS, options), ...texts };
	if (values['deadline.choice'] !== undefined && values['deadline.after_seconds'] === undefined)
		throw new Failure('--default needs --within, such as --within 10m.', EXIT.usage);
	if (values['remind.every_minutes'] !== undefined) values['remind.times'] ??= 3;
	if (options['text']) values['text'] = {};
	else values['choices'] ??= APPROVAL;
	return toBody(values, options);
}

/** Long-polls, even while the server restarts, with a warning if it does not answer. */
async function waitForAnswer(path: string): Promise<Question> {
	const { signal } = stop;
	const call = { method: 'GET', path: `${path}?wait=50`, body: {} } as const;
	for (;;) {
		try {
			const question = await send<Question>(call, { within: Infinity });
			if (question.status !== 'open') return question;
		} catch (error) {
			if (!(error instanceof Failure) || signal.aborted) throw error;
			const { status = 500 } = error.known;
			if (status === 200) throw new Failure(...UNKNOWN_END);
			if (status < 500) throw error;
			warn(`${error.message} Still waiting.`);
			await sleep(PAUSE, undefined, { signal }).catch(() => undefined);
		}
	}
}

/** What to print, and the exit code, by the state of a question that ended without an answer. */
const UNANSWERED: Readonly<Record<string, readonly [words: string, exitCode: number]>> = {
	expired: ['Nobody answered in time.', EXIT.expired],
	withdrawn: ['The question was withdrawn.', EXIT.withdrawn],
};

/** For example, after a proxy's page: scripts continue only after an answer. */
const UNKNOWN_END = ['The server did not say how the question ended.', EXIT.failed] as const;
