import { z } from 'zod';
import type { Caller, Context } from '../../../service/context.ts';
import { withdrawAbandoned } from '../../../service/questions/answer.ts';
import { type AgentSession, openQuestionsOfAgent } from '../../../service/questions/read.ts';
import { requireValid } from '../../../service/refusal.ts';
import { sendPush } from '../../../service/sending/pushes.ts';
import { type ForeignPush, toPush } from '../foreign-push.ts';

const words = z.string().optional().catch(undefined);

/** What every event has; `agent_id` only within a subagent of Claude Code. */
export const session = { session_id: words, agent_id: words, cwd: words };

const inSession = z.object(session);
export type SessionEvent = z.output<typeof inSession>;

const notification = z.object({
	...session,
	message: z.string(),
	title: words,
	notification_type: words,
});

const stop = z.object({
	...session,
	last_assistant_message: words,
	/** What failed; only for StopFailure. */
	error: words,
	/** What is still running in Claude Code; Codex does not say. */
	background_tasks: z.array(z.unknown()).optional().catch(undefined),
});

/** Notification types that mean that the agent waits for somebody. */
const WAITING = ['permission_prompt', 'agent_needs_input', 'elicitation_dialog'];

/** The name of a session's folder, by which people recognize it. */
export const projectOf = ({ cwd = '' }: SessionEvent) =>
	cwd.split(/[\\/]/).findLast((part) => part !== '') ?? '';

/**
 * Sends a push that an agent needs somebody, which waits for no answer and replaces the session's last push. Sends none
 * while a question of the agent is open on the phones: it says so already.
 * @throws Refusal like `sendPush`, or `invalid` for what is not the input of a hook
 */
export async function pushNotification(context: Context, caller: Caller, body: object) {
	const { message, title, notification_type: type = '', ...of } = requireValid(notification, body);
	const open = await openQuestionsOfAgent(context, caller, { session: of.session_id });
	if (type === 'permission_prompt' && open.length > 0) return;
	const level = WAITING.includes(type) ? 'time-sensitive' : 'active';
	await send(context, caller, { of, heading: title, message, level });
}

/**
 * Sends a push that an agent has finished or failed. Its open questions were answered where it runs.
 * @throws Refusal like `pushNotification`
 */
export async function pushStop(context: Context, caller: Caller, body: object) {
	const { error, last_assistant_message: last, background_tasks, ...of } = requireValid(stop, body);
	if (background_tasks?.length === 0)
		await withdrawOpen(context, caller, { session: of.session_id });
	const heading = error === undefined ? 'finished' : 'stopped by an error';
	const message = [error, last].filter((part) => part !== undefined).join(': ');
	await send(context, caller, { of, heading, message, level: 'active' });
}

/**
 * Ends what a session, or one subagent of it, has asked: all tools that the model called at once have run or were
 * refused, so what is still open was answered where the agent runs. Claude Code hangs up only after a bare "No" there.
 * @throws Refusal `invalid` for what is not the input of a hook
 */
export function endToolBatch(context: Context, caller: Caller, body: object) {
	const { session_id, agent_id } = requireValid(inSession, body);
	return withdrawOpen(context, caller, { session: session_id, subagent: agent_id });
}

async function withdrawOpen(context: Context, caller: Caller, of: AgentSession) {
	for (const id of await openQuestionsOfAgent(context, caller, of))
		await withdrawAbandoned(context, caller, id);
}

interface AgentPush extends Pick<ForeignPush, 'message' | 'level'> {
	of: SessionEvent;
	heading?: string | undefined;
}

async function send(context: Context, caller: Caller, { of, heading, message, level }: AgentPush) {
	const title = [projectOf(of) || 'Coding agent', heading].filter(Boolean).join(': ');
	const push = toPush({ title, message, level }, context);
	await sendPush(context, caller, push, { sequenceId: of.session_id });
}
