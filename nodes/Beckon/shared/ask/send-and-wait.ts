import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isSuccess } from '../../../../src/answer';
import type { BeckonCall } from '../../../../src/call';
import { nodeErrorOf, Refused } from '../../../../src/errors';
import { FieldReader } from '../../../../src/field-reader';
import { atLeast } from '../../../../src/rules';
import { runOf } from '../../../../src/run';
import { sendOnce } from '../../../../src/send-once';
import { transmit } from '../../../../src/transmit';
import { requestOptionsOf } from '../request-options';
import { waitTillOf } from './limit-wait';
import { isRefusedUrl, reachAdvice } from './reach';
import { askedIn } from './round';

/** Builds the request that shows the question, with buttons that call the given URL. */
export type QuestionBuilder = (read: FieldReader, resumeUrl: string) => BeckonCall;

const DEFAULT_LONGEST_WAIT_SECONDS = 300;

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
			if (this.continueOnFail()) return [[{ json: {}, error, pairedItem: { item: 0 } }]];
			throw error;
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
	const read = new FieldReader({
		valueOf: (parameter) => context.getNodeParameter(parameter, 0, null),
		timezone: context.getTimezone(),
	});
	const call = build(read, asking.resumeUrl);
	const waitTill = waitTillOf(read);
	const seconds = read.number('options.longestWait', 'options.longestWait', atLeast(0));
	const requestOptions = requestOptionsOf(read);
	read.assertValid();
	const answer = await transmit(
		call,
		async () => await sendOnce(context, call, { baseUrl, ...requestOptions }),
		run,
		{ longestWait: (seconds ?? DEFAULT_LONGEST_WAIT_SECONDS) * 1000, parallel: 1 },
	);
	if (!isSuccess(answer)) throw new Refused(answer);
	return waitTill;
}

/** n8n 1 checks the signature of the URL only where the node asks for it; n8n 2 always does. */
type WithSignatureSwitch = IExecuteFunctions & { setSignatureValidationRequired?: () => void };

function resumeUrlOf(context: IExecuteFunctions): string {
	(context as WithSignatureSwitch).setSignatureValidationRequired?.();
	return context.getSignedResumeUrl({ round: String(askedIn(context)) });
}
