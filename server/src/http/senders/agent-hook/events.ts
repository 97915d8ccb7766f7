import { z } from 'zod';
import type { Caller, Context } from '../../../service/context.ts';
import { withdrawUnheard } from '../../../service/questions/answer.ts';
import { openOfSession } from '../../../service/questions/read.ts';
import { requireFitting } from '../../../service/refusal.ts';
import { sendPush } from '../../../service/sending/pushes.ts';
import { type ForeignPush, toPush } from '../foreign-push.ts';

const words = z.string().optional().catch(undefined);

/** What every event has. */
export const session = { session_id: words, cwd: words };

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
	/** What goes on in Claude Code; Codex does not say. */
	background_tasks: z.array(z.unknown()).optional().catch(undefined),
});

/** Types of notifications on which work waits for somebody. */
const WAITING = ['permission_prompt', 'agent_needs_input', 'elicitation_dialog'];

/** The folder that a session works in, by which people know it. */
export const projectOf = ({ cwd = '' }: { cwd?: string | undefined }) =>
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
	const open = await openOfSession(context, caller, of.session_id);
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
		for (const id of await openOfSession(context, caller, of.session_id))
			await withdrawUnheard(context, caller, id);
	const heading = error === undefined ? 'finished' : 'stopped by an error';
	const message = [error, last].filter((part) => part !== undefined).join(': ');
	await tell(context, caller, { of, heading, message, level: 'active' });
}

interface Told extends Pick<ForeignPush, 'message' | 'level'> {
	of: { session_id?: string | undefined; cwd?: string | undefined };
	heading?: string | undefined;
}

async function tell(context: Context, caller: Caller, { of, heading, message, level }: Told) {
	const title = [projectOf(of) || 'Coding agent', heading].filter(Boolean).join(': ');
	const push = toPush({ title, message, level }, context);
	await sendPush(context, caller, push, { sequenceId: of.session_id });
}
