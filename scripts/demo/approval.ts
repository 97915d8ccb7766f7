import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunOptions } from '../../test/engine/run-workflow.ts';
import { WaitingExecution } from '../../test/engine/waiting.ts';
import type { Phone } from './phone.ts';
import { tellPrompt } from './story.ts';

/** The first choice of the example. */
const DEPLOY = 'approve';

/**
 * Runs the approval in n8n's engine until it asks, then continues with the phone's answer.
 * @param patienceMs the time a person has to tap a button before the demo does
 */
export async function playApproval(
	options: RunOptions,
	phone: Phone,
	{ patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<void> {
	const stopped = () => signal.aborted;
	const execution = await WaitingExecution.of(options);
	try {
		const { status, error } = await execution.start();
		if (stopped()) return;
		assert.equal(status, 'waiting', `The approval does not wait: ${error?.message ?? status}`);
		const { question } = (await phone.lastPush()).push;
		assert.ok(question, 'The approval asks no question');
		const goneOn = execution.goneOn();
		if (patienceMs > 0)
			tellPrompt(`Tap a button on the phone; in ${patienceMs / 1_000} s the demo does.`);
		await Promise.race([goneOn, pause(patienceMs, undefined, { signal }).catch(() => undefined)]);
		if (stopped()) return;
		if (execution.isWaiting) await phone.answer(question.question_id, DEPLOY);
		const { status: end } = await goneOn;
		assert.equal(end, 'success', `The approval ended as ${end}`);
	} finally {
		await execution.close();
	}
}
