import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isSuccess } from '../../../../src/answer';
import type { BeckonCall } from '../../../../src/call';
import { nodeErrorOf, Refused } from '../../../../src/errors';
import { FieldReader } from '../../../../src/field-reader';
import { parametersOf } from '../../../../src/parameters';
import { runOf } from '../../../../src/run';
import { sendOnce } from '../../../../src/send-once';
import { transmit } from '../../../../src/transmit';
import { failedItem } from '../failed-item';
import { sendingOf } from '../sending-options';
import { askedQuestionOf, keepQuestion } from './asked-question';
import { waitTillOf } from './limit-wait';
import { isRefusedUrl, reachAdvice } from './reach';
import { askedIn } from './round';

/** Builds the request that shows the question, with buttons that call the given URL. */
export type QuestionBuilder = (read: FieldReader, resumeUrl: string) => BeckonCall;

/**
 * An operation that asks a person and lets the execution wait for the answer. As n8n's other nodes
 * that wait, it asks once, for the first item.
 */
export function sendAndWait(build: QuestionBuilder) {
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const asking: { baseUrl: string; resumeUrl: string } = { baseUrl: '', resumeUrl: '' };
		try {
			await this.putExecutionToWait(await ask(this, build, asking));
		} catch (cause) {
			const error = nodeErrorOf(cause, {
				node: this.getNode(),
				itemIndex: 0,
				baseUrl: asking.baseUrl,
			});
			if (cause instanceof Refused && isRefusedUrl(cause.answer)) {
				error.description = `${reachAdvice(asking.resumeUrl)} ${error.description ?? ''}`.trim();
			}
			return [[failedItem(this, error, 0)]];
		}
		return [this.getInputData()];
	};
}

/** @returns until when to wait for the answer */
async function ask(
	context: IExecuteFunctions,
	build: QuestionBuilder,
	asking: { baseUrl: string; resumeUrl: string },
): Promise<Date> {
	const run = runOf(context);
	const { baseUrl } = await run.access;
	asking.baseUrl = baseUrl;
	asking.resumeUrl = resumeUrlOf(context);
	const read = new FieldReader(parametersOf(context, 0));
	const call = build(read, asking.resumeUrl);
	const waitTill = waitTillOf(read);
	const sending = sendingOf(read);
	read.assertValid();
	keepQuestion(context, askedQuestionOf(read));
	const attempt = async () => await sendOnce(context, call, { ...sending, baseUrl });
	const answer = await transmit(call, attempt, run, sending);
	if (!isSuccess(answer)) throw new Refused(answer);
	return waitTill;
}

/** n8n 1 checks the signature of the URL only where the node asks for it; n8n 2 always does. */
type WithSignatureSwitch = IExecuteFunctions & { setSignatureValidationRequired?: () => void };

function resumeUrlOf(context: IExecuteFunctions): string {
	(context as WithSignatureSwitch).setSignatureValidationRequired?.();
	return context.getSignedResumeUrl({ round: String(askedIn(context)) });
}
