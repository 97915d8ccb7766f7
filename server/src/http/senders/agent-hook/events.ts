import { z } from 'zod';
import type { Caller, Context } from '../../../service/context.ts';
import { withdrawUnheard } from '../../../service/questions/answer.ts';
import { type OfAgent, openOfAgent } from '../../../service/questions/read.ts';
import { requireFitting } from '../../../service/refusal.ts';
import { sendPush } from '../../../service/sending/pushes.ts';
import { type ForeignPush, toPush } from '../foreign-push.ts';

const words = z.string().optional().catch(undefined);

/** What every event has; `agent_id` only within a subagent of Claude Code. */
export const session = { session_id: words, agent_id: words, cwd: words };

const inSession = z.object(session);
export type InSession = z.output<typeof inSession>;

const notification = z.object({
	...session,
	message: z.string(),
	title: words,
	notification_type: words,
});

const stop = z.object({
	...session,
	last_assistant_message: words,
	/** What failed; only of StopFailure. */
	error: words,
	/** What is still running in Claude Code; Codex does not say. */
	background_tasks: z.array(z.unknown()).optional().catch(undefined),
});

/** Types of notifications on which work waits for somebody. */
const WAITING = ['permission_prompt', 'agent_needs_input', 'elicitation_dialog'];

/** The folder that a session works in, by which people know it. */
export const projectOf = ({ cwd = '' }: InSession) =>
	cwd.split(/[\\/]/).findLast((part) => part !== '') ?? '';

/**
 * Tells people that an agent needs somebody: a push that waits for no answer, and replaces the session's last one. A
 * question that is open on the phones has told them already.
 * @throws Refusal like `sendPush`, or `invalid` for what is not the input of a hook
 */
export async function tellNotification(context: Context, caller: Caller, body: object) {
	const {
		message,
		title,
		notification_type: type = '',
		...of
	} = requireFitting(notification, body);
	const open = await openOfAgent(context, caller, { session: of.session_id });
	if (type === 'permission_prompt' && open.length > 0) return;
	const level = WAITING.includes(type) ? 'time-sensitive' : 'active';
	await tell(context, caller, { of, heading: title, message, level });
}

/**
 * Tells people that an agent has finished, or failed. What it has asked before was answered where it runs.
 * @throws Refusal like `tellNotification`
 */
export async function tellStop(context: Context, caller: Caller, body: object) {
	const {
		error,
		last_assistant_message: last,
		background_tasks,
		...of
	} = requireFitting(stop, body);
	if (background_tasks?.length === 0)
		await withdrawOpen(context, caller, { session: of.session_id });
	const heading = error === undefined ? 'finished' : 'stopped by an error';
	const message = [error, last].filter((part) => part !== undefined).join(': ');
	await tell(context, caller, { of, heading, message, level: 'active' });
}

/**
 * Ends what a session, or one subagent of it, has asked: all tools that the model called at once have run or were
 * refused, so what is still open was answered where the agent runs. Claude Code hangs up only after a bare "No" there.
 * @throws Refusal `invalid` for what is not the input of a hook
 */
export function endToolBatch(context: Context, caller: Caller, body: object) {
	const { session_id, agent_id } = requireFitting(inSession, body);
	return withdrawOpen(context, caller, { session: session_id, subagent: agent_id });
}

async function withdrawOpen(context: Context, caller: Caller, of: OfAgent) {
	for (const id of await openOfAgent(context, caller, of))
		await withdrawUnheard(context, caller, id);
}

interface Told extends Pick<ForeignPush, 'message' | 'level'> {
	of: InSession;
	heading?: string | undefined;
}

async function tell(context: Context, caller: Caller, { of, heading, message, level }: Told) {
	const title = [projectOf(of) || 'Coding agent', heading].filter(Boolean).join(': ');
	const push = toPush({ title, message, level }, context);
	await sendPush(context, caller, push, { sequenceId: of.session_id });
}
