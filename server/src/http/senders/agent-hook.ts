import { z } from 'zod';
import {
	type QuestionRequest,
	questionRequest,
	type QuestionState,
} from '../../contract/questions.ts';
import { shortened } from '../../contract/text.ts';
import type { Caller, Context } from '../../service/context.ts';
import { withdrawByKey } from '../../service/questions/answer.ts';
import { readQuestion } from '../../service/questions/read.ts';
import { requireFitting } from '../../service/refusal.ts';
import { askQuestion } from '../../service/sending/pushes.ts';
import { requireCaller } from '../gate.ts';
import { goneSignal } from '../public-handlers.ts';
import { authorizationKey } from './keys.ts';
import type { Sender } from './sender.ts';

/** Seconds, less than the ten minutes after which agents give up a hook. */
const WAIT_SECONDS = 590;

/** Proxies cut a connection on which nothing comes for a minute. */
const SIGN_OF_LIFE_MS = 15_000;

const MAX_TITLE = 255;

/** What an agent tells its hooks before it asks in the terminal; other fields are ignored. */
const permissionRequest = z.object({
	hook_event_name: z.literal(
		'PermissionRequest',
		'must be PermissionRequest; remove this hook from other events',
	),
	tool_name: z.string(),
	tool_input: z.record(z.string(), z.unknown()),
	cwd: z.string().optional().catch(undefined),
});

/** Asked for each permission, in the order of the buttons. */
const CHOICES = [
	{ id: 'allow', title: 'Allow' },
	{ id: 'deny', title: 'Deny', destructive: true },
];

/**
 * The hook for permissions of Claude Code (https://code.claude.com/docs/en/hooks#permissionrequest) and Codex, whose
 * format is the same: a question on the phones of the key's channels. Only a person's tap decides. After anything else
 * the answer is empty, or no success, and the agent asks by itself.
 */
export const agentHook: Sender = {
	name: 'agent-hook',
	feature: 'notifications',

	keyIn: (request) => authorizationKey(request.headers.authorization),

	toRefusal: ({ body }) => body,

	register(app, { context }) {
		app.post('/agent-hook', { schema: { body: permissionRequest } }, async (request, reply) => {
			const caller = requireCaller(request);
			const { question_id: id } = await askQuestion(context, caller, toQuestion(request.body));
			reply.header('content-type', 'application/json').header('x-accel-buffering', 'no').hijack();
			const { raw } = reply;
			raw.writeHead(200, reply.getHeaders() as Record<string, string>);
			// JSON may begin with spaces.
			const alive = setInterval(() => raw.write(' '), SIGN_OF_LIFE_MS);
			const gone = goneSignal(reply);
			const decision = await decisionOf(context, caller, { id, gone }).catch((error: unknown) => {
				request.log.error({ err: error }, 'waiting for a permission failed');
				return {};
			});
			clearInterval(alive);
			raw.end(JSON.stringify(decision));
		});
	},
};

/** @throws Refusal `invalid` for what a phone cannot show as a whole: nobody should allow what they do not see */
function toQuestion({
	tool_name: tool,
	tool_input: input,
	cwd = '',
}: z.output<typeof permissionRequest>): QuestionRequest {
	return requireFitting(questionRequest, {
		title: shortened(`Allow ${tool}?`, MAX_TITLE),
		subtitle: shortened(cwd.split(/[\\/]/).at(-1) ?? '', MAX_TITLE),
		message: Object.entries(input)
			.map(
				([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
			)
			.join('\n'),
		choices: CHOICES,
		deadline: { after_seconds: WAIT_SECONDS },
	});
}

/** Waits for the answer. A question that is still open then is withdrawn: nobody would wait for its answer. */
async function decisionOf(
	context: Context,
	caller: Caller,
	{ id, gone }: { id: string; gone: AbortSignal },
): Promise<object> {
	const state = await readQuestion(context, caller, id, { wait: WAIT_SECONDS }, gone).catch(
		() => undefined,
	);
	const ended = state && state.status !== 'open' ? state : await withdrawByKey(context, caller, id);
	const decision = toDecision(ended);
	return decision ? { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } } : {};
}

/** What a person has decided; undefined if nobody has. */
function toDecision({ status, answer }: QuestionState): object | undefined {
	if (status !== 'answered' || typeof answer?.by !== 'object') return undefined;
	if (answer.choice === 'allow') return { behavior: 'allow' };
	if (answer.choice !== 'deny') return undefined;
	return { behavior: 'deny', message: `${answer.by.user} has denied this.` };
}
