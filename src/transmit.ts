import type { Answer } from './answer';
import type { BeckonCall } from './call';
import { featureOf, isRepeatable, subjectOf } from './call-traits';
import { pacerFor } from './pacing/registry';
import { sendRepeatedly } from './repeat';
import type { NodeRun } from './run';
import { wait } from './wait';

/** How a call is sent. */
export interface Sending {
	/** Milliseconds that the call may wait in all for the allowance before it fails; or Infinity. */
	longestWait: number;
	/**
	 * Requests of one run that may be under way at a time. Where the user gives no number, calls that
	 * make something new keep the order of their items, one after another.
	 */
	parallel: number | undefined;
}

/** Without a number by the user; calls for different things do not wait for each other. */
const DEFAULT_PARALLEL = 1000;

/**
 * Sends a call when its allowance and the calls before it for the same thing permit, and again where
 * that cannot duplicate anything.
 * @param attempt one request; resolves for every HTTP status, rejects when there was no answer
 * @throws AllowanceUsedUp, WaitCancelled, and what the last attempt threw
 */
export async function transmit(
	call: BeckonCall,
	attempt: () => Promise<Answer>,
	run: NodeRun,
	{ longestWait, parallel }: Sending,
): Promise<Answer> {
	const deadline = Date.now() + longestWait;
	const { baseUrl, apiKey } = await run.access;
	const pacer = pacerFor(baseUrl, apiKey, featureOf(call));
	const sendInTurn = async () =>
		await pacer.send(attempt, { run, parallel: parallel ?? DEFAULT_PARALLEL, deadline });
	const inOrder = parallel === undefined ? run : undefined;
	return await pacer.lanes.inTurn(
		subjectOf(call) ?? inOrder,
		run.cancellation,
		async () =>
			await sendRepeatedly(sendInTurn, {
				isRepeatable: isRepeatable(call),
				longestWait,
				wait: async (milliseconds) => {
					await wait(milliseconds, run.cancellation);
				},
				now: () => Date.now(),
			}),
	);
}
