import type {
	IDataObject,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { isObject, isSuccess } from '../../../../src/rules/answer';
import { readAccess } from '../../../../src/n8n/access';
import { sendOnce } from '../../../../src/n8n/send-once';
import { createReader } from '../../../shared/declared/hooks';
import { readRequestOptions } from '../../../shared/declared/sending-options';
import { Refused, toNodeError } from '../../../shared/errors/errors';
import { readMethod, replyOnly } from '../../../shared/webhooks/webhook-reply';
import { askedBy, outputOf, queryOf, type Asked } from './asked';
import { answerIn, TOKEN } from './form-answer';
import type { Form } from './form-fields';
import { formPage } from './form-page';
import { page, PAGE_HEADERS } from './page';

const waiting: IWebhookDescription = {
	name: 'default',
	httpMethod: 'POST',
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
};

/** The server calls by POST when a question has ended. A form is opened by GET, and answered by POST. */
export const questionWebhooks: IWebhookDescription[] = [{ ...waiting, httpMethod: 'GET' }, waiting];

const ANSWERED = 'This question has already been answered.';

/**
 * Runs when a question's URL is called while the execution waits; n8n itself answers before and after the wait. It
 * must not throw: that would end the wait.
 */
export async function receiveCall(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const asked = askedBy(this);
	const isForm = 'form' in queryOf(this);
	if (isForm && !asked?.form) return showNote(this, 410, 'No action required', ANSWERED);
	if (isForm && asked?.form) return await receiveForm(this, asked, asked.form);
	const state = (this.getBodyData() as IDataObject | undefined) ?? {};
	if (!asked || state['question_id'] !== asked.id) {
		return replyOnly(this, 410, { message: 'Only the end of the current question is taken here.' });
	}
	if (noteCall(this)) return replyOnly(this, 409, { message: 'n8n is resuming. Try again.' });
	const input = this.evaluateExpression('{{ $input.all() }}') as INodeExecutionData[];
	return { webhookResponse: { received: true }, workflowData: [outputOf(asked, state, input)] };
}

/**
 * Milliseconds. n8n 1 acknowledges a callback some time before it resumes the execution, and until then treats repeats
 * like the first. Repeats are not acknowledged, so the server calls again, which resumes an execution that still waits.
 */
const REPEATED_WITHIN_MS = 60_000;

/** When each question was answered, oldest first. Kept in this process: the server calls the same address again. */
const answeredAt = new Map<string, number>();

/** Notes that the question was answered. @returns whether it was before */
function noteCall(context: IWebhookFunctions): boolean {
	const now = Date.now();
	for (const [key, at] of answeredAt) if (now - at > REPEATED_WITHIN_MS) answeredAt.delete(key);
	// Each node numbers its own questions.
	const question = [context.getExecutionId(), context.getNode().name, queryOf(context)];
	const key = JSON.stringify(question);
	const isKnown = answeredAt.has(key);
	if (!isKnown) answeredAt.set(key, now);
	return isKnown;
}

/** Shows the form, or reports the answer in it: the server then calls back, as for every other answer. */
async function receiveForm(
	context: IWebhookFunctions,
	{ id }: Asked,
	form: Form,
): Promise<IWebhookResponseData> {
	if (readMethod(context) !== 'POST') return showPage(context, 200, formPage(form, id));
	// n8n parses multipart/form-data into the fields, as `data`, and `files`.
	const { data } = (context.getBodyData() as IDataObject | undefined) ?? {};
	const body = isObject(data) ? (data as IDataObject) : {};
	if (body[TOKEN] !== id) {
		const advice = 'Open the page again from the notification, and send the answer from there.';
		return showNote(context, 400, 'Unknown form', advice);
	}
	const answer = answerIn(form, body);
	if ('problems' in answer) return showPage(context, 400, formPage(form, id, answer));
	let baseUrl = '';
	try {
		({ baseUrl } = await readAccess(context));
		const call = { method: 'POST', path: `/questions/${id}/answer` } as const;
		const options = readRequestOptions(createReader(context));
		const told = await sendOnce(context, { ...call, body: { fields: answer.values } }, options);
		if (told.status === 409) return showNote(context, 410, 'No action required', ANSWERED);
		if (!isSuccess(told)) throw new Refused(told);
	} catch (cause) {
		const { message } = toNodeError(cause, { node: context.getNode(), itemIndex: 0, baseUrl });
		return showNote(context, 502, 'Not recorded', `${message}. Go back, and try again.`);
	}
	return showNote(context, 200, 'Thank you', 'Your answer was recorded. You can close this page.');
}

const showPage = (context: IWebhookFunctions, status: number, html: string) =>
	replyOnly(context, status, html, PAGE_HEADERS);

const showNote = (context: IWebhookFunctions, status: number, title: string, text: string) =>
	showPage(context, status, page(title, text));
