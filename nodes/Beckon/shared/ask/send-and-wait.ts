import { randomString, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import type { Declaration } from '../../../shared/declared/plan';
import { createRequests } from '../../../shared/declared/requests';
import { sendItem } from '../../../shared/declared/send-items';
import { Refused, toNodeError } from '../../../shared/errors/errors';
import { failedItem } from '../../../shared/errors/failed-item';
import { FieldReader } from '../../../shared/fields/field-reader';
import { createKeys } from '../../../../src/n8n/idempotency-key';
import { currentRun } from '../../../../src/n8n/run';
import { keepQuestion, readAskedQuestion } from './asked-question';
import { readWaitTill } from './limit-wait';
import { isRefusedUrl, reachAdvice } from './unreachable';
import { createResumeUrl } from './resume-url';
import { countRound } from './question-number';

const TOKEN_LENGTH = 32;

/**
 * Asks a person and makes the execution wait for the answer. Like n8n's other waiting nodes, it asks
 * once, for the first item.
 */
export async function sendAndWait(
	context: IExecuteFunctions,
	declaration: Declaration,
): Promise<INodeExecutionData[][]> {
	const asking = { baseUrl: '' };
	try {
		await context.putExecutionToWait(await ask(context, declaration, asking));
	} catch (cause) {
		const error = toNodeError(cause, { node: context.getNode(), itemIndex: 0, ...asking });
		if (cause instanceof Refused && isRefusedUrl(cause.answer)) {
			const advice = reachAdvice(createResumeUrl(context));
			error.description = `${advice} ${error.description ?? ''}`.trim();
		}
		return [[failedItem(context, error, 0)]];
	}
	return [context.getInputData()];
}

/** @returns the time until which to wait for the answer */
async function ask(
	context: IExecuteFunctions,
	declaration: Declaration,
	asking: { baseUrl: string },
): Promise<Date> {
	asking.baseUrl = (await currentRun(context).access).baseUrl;
	const request = await createRequests(context, declaration)(0);
	const read = new FieldReader(request.parameters);
	const waitTill = readWaitTill(read);
	keepQuestion(context, readAskedQuestion(read, randomString(TOKEN_LENGTH)));
	countRound(context);
	await sendItem(context, 0, { request }, createKeys(context));
	return waitTill;
}
