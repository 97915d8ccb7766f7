import type { Answer } from './answer';
import type { BeckonCall, UploadCall } from './call';
import { isRepeatable, toFeature, toSubject } from './call-traits';
import { pacerFor } from './pacing/registry';
import { sendRepeatedly } from './repeat';
import type { NodeRun } from './run';
import { wait } from './wait';

/** The options for sending a call. */
export interface Sending {
	/** Total milliseconds that the call may wait for the allowance before it fails, or Infinity. */
	longestWait: number;
	/**
	 * Requests of one run that may be under way at once. If the user gives no number, calls that make
	 * something new keep the order of their items, one at a time.
	 */
	parallel: number | undefined;
}

/** Used if the user gives no number; calls for different things do not wait for each other. */
const DEFAULT_PARALLEL = 1000;

/**
 * Sends a call once its allowance and the earlier calls for the same thing permit, and again where that
 * cannot duplicate anything.
 * @param attempt one request; resolves for every HTTP status, rejects if there was no answer
 * @throws AllowanceUsedUp, WaitCancelled, and the error of the last attempt
 */
export async function transmit(
	call: BeckonCall | UploadCall,
	attempt: () => Promise<Answer>,
	run: NodeRun,
	{ longestWait, parallel }: Sending,
): Promise<Answer> {
	const deadline = Date.now() + longestWait;
	const { baseUrl, apiKey } = await run.access;
	const pacer = pacerFor(baseUrl, apiKey, toFeature(call));
	const sendInTurn = async () =>
		await pacer.send(attempt, { run, parallel: parallel ?? DEFAULT_PARALLEL, deadline });
	const inOrder = parallel === undefined ? run : undefined;
	return await pacer.lanes.inTurn(
		toSubject(call) ?? inOrder,
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
