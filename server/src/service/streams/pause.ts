import type { Context } from '../context.ts';
import { onBoard } from '../sending/on-board.ts';
import { attempt } from '../sending/outgoing.ts';
import { decidePause, decideResume } from './decisions.ts';

/**
 * Ends the stream's activity and keeps its state; later updates are remembered until it is resumed.
 * @throws Refusal `not_found` or `conflict`
 */
export async function pauseStream(
	context: Context,
	accountId: string,
	streamKey: string,
): Promise<void> {
	const ended = await onBoard(context, { accountId, streamKey }, (board) =>
		decidePause(board, accountId, streamKey),
	);
	if (ended) await attempt(context, [ended]);
}

/**
 * Restarts the stream's activity from the remembered state. If there is no such state or no recipient, the
 * next update starts it.
 * @returns whether an activity was started
 * @throws Refusal `not_found`, `conflict`, `billing` or `capacity`
 */
export async function resumeStream(
	context: Context,
	accountId: string,
	streamKey: string,
): Promise<boolean> {
	const applied = await onBoard(
		context,
		{ accountId, streamKey, slugs: 'stored', start: {} },
		(board) => decideResume(board, accountId, streamKey),
	);
	if (!applied) return false;
	await attempt(context, applied.messages);
	return true;
}
