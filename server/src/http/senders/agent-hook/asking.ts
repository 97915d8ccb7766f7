import type { FastifyReply } from 'fastify';
import { DEADLINE_SECONDS, type QuestionRequest } from '../../../contract/questions.ts';
import { shortened } from '../../../contract/text.ts';
import type { Caller, Context } from '../../../service/context.ts';
import { withdrawByKey } from '../../../service/questions/answer.ts';
import { readQuestion, noteReturnedDecision } from '../../../service/questions/read.ts';
import { askQuestion } from '../../../service/sending/pushes.ts';
import type { Ask } from './permission.ts';

/** Seconds, less than the ten minutes after which agents give up a hook. */
const WAIT_SECONDS = 590;

/** Proxies cut a connection on which nothing comes for a minute. */
const SIGN_OF_LIFE_MS = 15_000;

/** Characters of the returned decision that the history keeps. */
const MAX_RETURNED = 512;

type AgentAsk = Pick<Ask, 'toDecision'> & { questions: QuestionRequest[] };

interface Asking {
	context: Context;
	caller: Caller;
	/** Aborted when the agent has hung up. */
	gone: AbortSignal;
}

/**
 * Asks people, and responds to the hook with their decision, or with nothing.
 * @param reply taken over once the first question is asked
 * @throws Refusal like `askQuestion`, for the first question
 */
export async function askPeople(asking: Asking, ask: AgentAsk, reply: FastifyReply): Promise<void> {
	const { context, caller, gone } = asking;
	const isGone = () => gone.aborted;
	const until = context.now() + WAIT_SECONDS * 1_000;
	const ids: string[] = [];
	const begin = async (question: QuestionRequest) => {
		const left = Math.floor((until - context.now()) / 1_000);
		const deadline = { after_seconds: Math.max(left, DEADLINE_SECONDS.least) };
		const { question_id: id } = await askQuestion(context, caller, { ...question, deadline });
		ids.push(id);
		return () => personsAnswer(asking, id);
	};
	const [first, ...more] = ask.questions;
	if (!first || isGone()) {
		reply.hijack();
		return;
	}
	const firstAnswer = await begin(first);
	reply.header('content-type', 'application/json').header('x-accel-buffering', 'no').hijack();
	const { raw, log } = reply;
	raw.writeHead(200, reply.getHeaders() as Record<string, string>);
	// JSON may begin with spaces. To a closed connection, `write` does nothing.
	const alive = setInterval(() => raw.write(' '), SIGN_OF_LIFE_MS);
	const decide = async () => {
		const answers = [await firstAnswer()];
		for (const question of more)
			if (answers.at(-1) && !isGone()) answers.push(await (await begin(question))());
		const received = answers.filter((answer) => answer !== undefined);
		return received.length === ask.questions.length ? ask.toDecision(received) : undefined;
	};
	const logged = (error: unknown) => {
		log.error({ err: error }, 'answering an agent hook failed');
		return undefined;
	};
	const decision = await decide().catch(logged);
	clearInterval(alive);
	// The agent may have hung up while a person answered.
	const returned = isGone() ? 'nothing: it hung up' : JSON.stringify(decision);
	const output = { hookEventName: 'PermissionRequest', decision };
	raw.end(JSON.stringify(decision ? { hookSpecificOutput: output } : {}));
	if (!decision) return;
	const noted = { ...first.metadata, returned: shortened(returned, MAX_RETURNED) };
	await noteReturnedDecision(context, caller, ids, noted).catch(logged);
}

/** The answer of a person. A question that is still open then is withdrawn: nobody would wait for its answer. */
async function personsAnswer({ context, caller, gone }: Asking, id: string) {
	const state = await readQuestion(context, caller, id, { wait: WAIT_SECONDS }, gone).catch(
		() => undefined,
	);
	const ended = state && state.status !== 'open' ? state : await withdrawByKey(context, caller, id);
	// Not in the name of a key that was revoked, or has lost a channel, before somebody answered.
	return state && typeof ended.answer?.by === 'object' ? ended.answer : undefined;
}
