import { setTimeout as sleep } from 'node:timers/promises';

import { Command } from 'commander';

import { isObject, isRateRefusal } from '../../src/rules/answer.ts';
import { retryAfterHeader } from '../../src/rules/rate-limit-headers.ts';
import type { Client } from './client.ts';
import { EXIT, Failure } from './failure.ts';
import {
	collected,
	collectedPairs,
	given,
	readDuration,
	readNumber,
	recipientOptions,
	toRecipients,
	type RecipientOptions,
} from './options.ts';
import type { Tools } from './program.ts';

/** A question's state (docs/api-decisions.md "Questions"). */
interface Question {
	question_id: string;
	status: 'open' | 'answered' | 'expired' | 'withdrawn';
	answer?: { choice?: string; text?: string; by?: unknown };
}

interface AskOptions extends RecipientOptions {
	choice?: Array<[id: string, title: string]>;
	text?: boolean;
	within?: number;
	default?: string;
	remindEvery?: number;
	remindTimes: number;
	answerableBy?: string[];
	subtitle?: string;
}

/** Asked where neither --choice nor --text is given. */
const APPROVAL = [
	{ id: 'approve', title: 'Approve' },
	{ id: 'decline', title: 'Decline', destructive: true },
];

/** Milliseconds before looking again at a server that did not answer. */
const PAUSE = 2000;

export function askCommand({ client, signal, print }: Tools): Command {
	const command = new Command('ask')
		.description('ask, wait, and print the answer: the id of the choice, or the text')
		.argument('<title>')
		.argument('[message]')
		.option(
			'--choice <id=title>',
			'one of up to four; by default approve=Approve and decline=Decline',
			collectedPairs,
		)
		.option('--text', 'a typed answer')
		.option(
			'--within <time>',
			'when it is over, such as 10m or 2h; by default 30 days',
			readDuration,
		)
		.option('--default <id>', 'the choice that is taken when the time is over')
		.option('--remind-every <time>', 'ring again, such as 15m', readDuration)
		.option('--remind-times <number>', 'how often', readNumber, 3)
		.option('--answerable-by <name>', 'who may answer, once for each person', collected)
		.option('--subtitle <text>', 'line under the title');
	for (const option of recipientOptions()) command.addOption(option);
	command.addHelpText(
		'after',
		`
Exit codes: 0 answered, ${EXIT.declined} answered with the choice decline, ${EXIT.expired} nobody answered in time,
${EXIT.withdrawn} withdrawn, ${EXIT.failed} not asked. A question whose command is interrupted is withdrawn.`,
	);
	return command.action(async (title: string, message: string | undefined, options: AskOptions) => {
		const connected = await client();
		const asked = await connected.send<Question>({
			method: 'POST',
			path: '/questions',
			body: toQuestion(title, message, options),
		});
		const path = `/questions/${asked.question_id}`;
		const ended = await waitForAnswer(connected, path, signal).catch(async (error: unknown) => {
			if (signal.aborted) await (await client()).send({ method: 'DELETE', path, body: {} }, 5000);
			throw error;
		});
		tell(ended, print);
	});
}

function toQuestion(title: string, message: string | undefined, options: AskOptions) {
	const { choice, text, within, default: choiceAtDeadline, remindEvery, remindTimes } = options;
	const own = choice?.map(([id, name]) => ({ id, title: name }));
	return given({
		title,
		message,
		subtitle: options.subtitle,
		choices: own ?? (text ? undefined : APPROVAL),
		text: text ? {} : undefined,
		deadline:
			within === undefined ? undefined : given({ after_seconds: within, choice: choiceAtDeadline }),
		remind:
			remindEvery === undefined
				? undefined
				: { every_minutes: Math.max(1, Math.round(remindEvery / 60)), times: remindTimes },
		answerable_by: options.answerableBy,
		...toRecipients(options),
	});
}

/** Waits by long polls, also while the server restarts. */
async function waitForAnswer(client: Client, path: string, signal: AbortSignal): Promise<Question> {
	for (;;) {
		const answer = await client.ask(`${path}?wait=50`).catch(async (error: unknown) => {
			if (!(error instanceof Failure) || signal.aborted) throw error;
			return undefined;
		});
		if (answer?.status === 200 && isObject(answer.body)) {
			if (answer.body['status'] !== 'open') return answer.body as unknown as Question;
		} else if (answer && answer.status < 500 && !isRateRefusal(answer)) {
			return await client.read<Question>(path);
		} else {
			const stated = answer && retryAfterHeader(answer.headers, Date.now());
			await pause(Math.max(PAUSE, (stated ?? 0) * 1000), signal);
		}
	}
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	await sleep(milliseconds, undefined, { signal }).catch(() => {
		throw new Failure('Interrupted.', { exitCode: EXIT.interrupted });
	});
}

function tell(question: Question, print: Tools['print']): void {
	const { status, answer } = question;
	if (status === 'expired') {
		throw new Failure('Nobody answered in time.', { exitCode: EXIT.expired, body: question });
	}
	if (status === 'withdrawn') {
		throw new Failure('The question was withdrawn.', { exitCode: EXIT.withdrawn, body: question });
	}
	print(answer?.choice ?? answer?.text ?? '', question);
	if (answer?.choice === 'decline') process.exitCode = EXIT.declined;
}
