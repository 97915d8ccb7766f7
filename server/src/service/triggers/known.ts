import { findTrigger } from '../../store/triggers.ts';
import type { Caller, Context } from '../context.ts';
import { invalid, invalidRequest } from '../refusal.ts';
import { type AnyAction, triggerOf } from '../shown/buttons.ts';
import { mayName } from './listen.ts';

/**
 * @param actions the buttons of a request, by their path in it
 * @throws Refusal `invalid` for the trigger of another account or key, or one that is forgotten
 */
export async function assertTriggersKnown(
	{ database }: Context,
	caller: Caller,
	actions: Record<string, AnyAction | undefined>,
): Promise<void> {
	const issues = [];
	for (const [path, action] of Object.entries(actions)) {
		const named = action && triggerOf(action);
		if (!named) continue;
		const trigger = await findTrigger(database.read, caller.accountId, named.id);
		if (trigger && mayName(caller, trigger)) continue;
		issues.push({
			path: `${path}.url`,
			message: 'names a trigger that is unknown here, or that this key may not start',
		});
	}
	if (issues.length === 0) return;
	const { message, details } = invalidRequest(issues);
	throw invalid('Invalid action', message, details);
}
