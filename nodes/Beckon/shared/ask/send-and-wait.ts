import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createKeys } from '../../../../src/n8n/idempotency-key';
import { currentRun } from '../../../../src/n8n/run';
import { sendOnce } from '../../../../src/n8n/send-once';
import { systemClock } from '../../../../src/n8n/transport';
import { isSuccess, type Answer } from '../../../../src/rules/answer';
import { retryAfterHeader } from '../../../../src/rules/rate-limit-headers';
import { wait } from '../../../../src/rules/wait';
import type { Declaration } from '../../../shared/declared/plan';
import { createRequests, type ItemRequest } from '../../../shared/declared/requests';
import { sendItem } from '../../../shared/declared/send-items';
import { Refused, toNodeError } from '../../../shared/errors/errors';
import { failedItem } from '../../../shared/errors/failed-item';
import { FieldReader } from '../../../shared/fields/field-reader';
import { keepAsked, outputOf, type Asked } from './asked';
import { readChoices } from './choices';
import { readForm } from './form-fields';
import { keepsRunning, reachAdvice } from './how-to-wait';
import { countRound, createResumeUrl } from './round';

/** Milliseconds for which the execution waits beyond the deadline, so that the server's callback ends the wait. */
const GRACE_MS = 120_000;

/** Seconds that the server holds the request while a question is open, and milliseconds allowed for the response. */
const POLL = { wait: 50, timeout: 65_000 };

/** Milliseconds until the next poll. A server that is stopping answers at once that the question is still open. */
const PAUSE = { open: 1_000, failed: 5_000 };

/**
 * Asks a person and waits for the answer. Like n8n's other waiting nodes, it asks once, for the first item.
 */
export async function sendAndWait(
	context: IExecuteFunctions,
	declaration: Declaration,
): Promise<INodeExecutionData[][]> {
	let baseUrl = '';
	try {
		({ baseUrl } = await currentRun(context).access);
		const request = await createRequests(context, declaration)(0);
		const read = new FieldReader(request.parameters);
		countRound(context);
		const [item] = await sendItem(context, 0, { request }, createKeys(context));
		const said = item?.json as Record<'question_id' | 'deadline_at' | 'timestamp', string> &
			Pick<Asked, 'delivery_details'>;
		const { question_id: id, deadline_at: deadline, timestamp, delivery_details } = said;
		const asked = { id, choices: readChoices(read), form: readForm(read), delivery_details };
		// Compared by the server's clock, which may differ from this one.
		const till = Date.now() + Date.parse(deadline) - Date.parse(timestamp) + GRACE_MS;
		const input = context.getInputData();
		if (keepsRunning(read, context)) {
			const polling = pollUntil(till, context, id, request);
			const state = await polling.catch(async (cause: unknown) => {
				await withdraw(context, id, request);
				throw cause;
			});
			return [outputOf(asked, state, input)];
		}
		keepAsked(context, asked);
		// n8n continues with the node's input if no callback ends the wait.
		context.getExecuteData().data['main'] = [outputOf(asked, {}, input)];
		await context.putExecutionToWait(new Date(till));
	} catch (cause) {
		const error = toNodeError(cause, { node: context.getNode(), itemIndex: 0, baseUrl });
		const advice = cause instanceof Refused && reachAdvice(cause.answer, createResumeUrl(context));
		if (advice) error.description = `${advice} ${error.description ?? ''}`.trim();
		return [[failedItem(context, error, 0)]];
	}
	return [context.getInputData()];
}

/**
 * Nobody waits for the answer any more, for example because the execution was stopped. n8n cannot report it after being
 * killed.
 */
async function withdraw(
	context: IExecuteFunctions,
	id: string,
	{ sending }: ItemRequest,
): Promise<void> {
	const call = { method: 'DELETE', path: `/questions/${id}` } as const;
	await sendOnce(context, call, sending).catch((error: unknown) => {
		context.logger.debug('A question was not withdrawn', { reason: String(error) });
	});
}

/**
 * Waits inside the execution, through restarts of the server.
 * @returns the state of the ended question; empty if the server does not say how it ended
 * @throws WaitCancelled, and Refused if asking again cannot help
 */
async function pollUntil(
	till: number,
	context: IExecuteFunctions,
	id: string,
	{ sending }: ItemRequest,
): Promise<IDataObject> {
	const { cancellation } = currentRun(context);
	const call = { method: 'GET', path: `/questions/${id}?wait=${POLL.wait}` } as const;
	const options = { ...sending, timeout: POLL.timeout };
	while (Date.now() < till) {
		const poll = sendOnce(context, call, options).catch((error: unknown) => {
			context.logger.debug('A poll for an answer had none', { reason: String(error) });
			return undefined;
		});
		const answer: Answer | undefined = await cancellation.race(poll);
		const isKnown = answer !== undefined && isSuccess(answer);
		const state = isKnown ? (answer.body as IDataObject) : {};
		if (isKnown && state['status'] !== 'open') return state;
		if (answer && [401, 403, 404].includes(answer.status)) throw new Refused(answer);
		const stated = (answer && retryAfterHeader(answer.headers, Date.now())) ?? 0;
		const pause = Math.max(isKnown ? PAUSE.open : PAUSE.failed, stated * 1000);
		await wait(pause, cancellation, systemClock);
	}
	return {};
}
