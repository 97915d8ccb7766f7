import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from 'commander';

import { isObject, isRateRefusal } from '../../src/rules/answer';
import { retryAfterHeader } from '../../src/rules/rate-limit-headers';
import type { Client, Tools } from './client';
import { EXIT, Failure } from './failure';
import {
	collected,
	collectedPairs,
	given,
	option,
	readDuration,
	readNumber,
	sendingCommand,
	toFields,
	toRecipients,
	type Options,
} from './options';

/** A question's state (docs/api-decisions.md "Questions"). */
interface Question {
	question_id: string;
	status: 'open' | 'answered' | 'expired' | 'withdrawn';
	answer?: { choice?: string; text?: string };
}

interface AskOptions extends Options {
	choice?: Array<{ id: string; title: string }>;
	text?: boolean;
	remindEvery?: number;
}

/** Asked where neither --choice nor --text is given. */
const APPROVAL = [
	{ id: 'approve', title: 'Approve' },
	{ id: 'decline', title: 'Decline', destructive: true },
];

const FIELDS = [
	option('--subtitle <text>', 'subtitle', 'line under the title'),
	option('--answerable-by <name>', 'answerable_by', 'who may answer; repeatable', collected),
];

const DEADLINE = [
	option('--within <time>', 'after_seconds', 'when it is over, such as 10m or 2h', readDuration),
	option('--default <id>', 'choice', 'the choice that is taken when the time is over'),
];

const EXIT_CODES = `
Exit codes: 0 answered, ${EXIT.declined} answered with the choice decline, ${EXIT.expired} nobody answered in time,
${EXIT.withdrawn} withdrawn, ${EXIT.failed} not asked. A question whose command is interrupted is withdrawn.`;

/** Milliseconds before looking again at a server that did not answer, and for a withdrawal. */
const PAUSE = 2000;
const WITHDRAWAL_WITHIN = 5000;

export function askCommand({ client, signal, print }: Tools): Command {
	return sendingCommand('ask', [...FIELDS, ...DEADLINE])
		.description('ask, wait, and print the answer: the id of the choice, or the text')
		.argument('<title>')
		.argument('[message]')
		.option(
			'--choice <id=title>',
			'by default approve=Approve and decline=Decline',
			collectedPairs((id, title) => ({ id, title })),
		)
		.option('--text', 'a typed answer')
		.option('--remind-every <time>', 'ring again, such as 15m', readDuration)
		.option('--remind-times <number>', 'how often', readNumber, 3)
		.addHelpText('after', EXIT_CODES)
		.action(async (title: string, message: string | undefined, options: AskOptions) => {
			// An interruption waits for the id, without which nothing can be withdrawn.
			const late = new AbortController();
			const interrupt = () => setTimeout(() => late.abort(), WITHDRAWAL_WITHIN).unref();
			signal.addEventListener('abort', interrupt);
			const sending = await client(late.signal);
			const body = { title, ...given({ message }), ...toQuestion(options) };
			const call = { method: 'POST', path: '/questions', body } as const;
			const { question_id: id } = await sending.send<Question>(call);
			const path = `/questions/${id}`;
			const ended = await waitForAnswer(await client(), path, signal).catch(
				async (error: unknown) => {
					if (!signal.aborted) throw error;
					// With a signal of its own, since the command's has been aborted.
					const withdrawing = await client(new AbortController().signal);
					await withdrawing.send({ method: 'DELETE', path, body: {} }, WITHDRAWAL_WITHIN);
					throw error;
				},
			);
			tell(ended, print);
		});
}

function toQuestion(options: AskOptions): Options {
	const { choice, text, remindEvery, remindTimes } = options;
	const deadline = toFields(DEADLINE, options);
	return given({
		choices: choice ?? (text ? undefined : APPROVAL),
		text: text ? {} : undefined,
		remind: remindEvery && { every_minutes: Math.ceil(remindEvery / 60), times: remindTimes },
		deadline: Object.keys(deadline).length > 0 ? deadline : undefined,
		...toFields(FIELDS, options),
		...toRecipients(options),
	});
}

/** Waits by long polls, also while the server restarts. */
async function waitForAnswer(client: Client, path: string, signal: AbortSignal): Promise<Question> {
	for (;;) {
		const answer = await client.read(`${path}?wait=50`).catch(async (error: unknown) => {
			if (!(error instanceof Failure) || signal.aborted) throw error;
			return undefined;
		});
		if (answer?.status === 200 && isObject(answer.body)) {
			if (answer.body['status'] !== 'open') return answer.body as unknown as Question;
		} else if (answer && answer.status < 500 && !isRateRefusal(answer)) {
			return client.successIn<Question>(answer);
		} else {
			const stated = answer && retryAfterHeader(answer.headers, Date.now());
			await pause(Math.max(PAUSE, (stated ?? 0) * 1000), signal);
		}
	}
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	await sleep(milliseconds, undefined, { signal }).catch(() => {
		throw new Failure('Interrupted.', EXIT.interrupted);
	});
}

const NOT_ANSWERED: Readonly<Record<string, readonly [words: string, exitCode: number]>> = {
	expired: ['Nobody answered in time.', EXIT.expired],
	withdrawn: ['The question was withdrawn.', EXIT.withdrawn],
};

/** Such as a page of a proxy: scripts go on after an answer alone. */
const UNKNOWN_END = ['The server did not say how the question ended.', EXIT.failed] as const;

function tell(question: Question, print: Tools['print']): void {
	const { status, answer } = question;
	if (status !== 'answered') {
		const [words, exitCode] = NOT_ANSWERED[status] ?? UNKNOWN_END;
		throw new Failure(words, exitCode, question);
	}
	print(answer?.choice ?? answer?.text ?? '', question);
	if (answer?.choice === 'decline') process.exitCode = EXIT.declined;
}
