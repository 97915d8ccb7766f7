import type {
	IDataObject,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { isObject, readHeader } from '../../../../src/rules/answer';
import { createReader } from '../../../shared/declared/hooks';
import { readTap } from '../../../shared/webhooks/tap';
import { readMethod, replyOnly, setHeaders } from '../../../shared/webhooks/webhook-reply';
import { keptQuestion, readAskedQuestion, type AskedQuestion } from './asked-question';
import type { Choice } from './choices';
import { endActivity } from './end-activity';
import { answerIn, TOKEN } from './form-answer';
import type { Form } from './form-fields';
import { formPage } from './form-page';
import { notePage, PAGE_HEADERS, questionPage } from './page';
import { isCurrentRound } from './question-number';
import { isTaken, take } from './answer-lock';

const RECORDED = 'Your answer was recorded. You can close this page.';

const waiting: IWebhookDescription = {
	name: 'default',
	httpMethod: 'POST',
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
};

/** A tap is a POST. A GET only shows a page, because link previews and scanners follow links too. */
export const responseWebhooks: IWebhookDescription[] = [{ ...waiting, httpMethod: 'GET' }, waiting];

/**
 * Runs when a question's URL is called while the execution waits; n8n itself answers before and after
 * the wait. It must not throw: that would end the wait.
 */
export async function receiveResponse(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (!isCurrentRound(this) || isTaken(this)) {
		return refuse(this, 410, 'No action required', 'This question has already been answered.');
	}
	const question = keptQuestion(this) ?? readAskedQuestion(createReader(this), '');
	const { title, message, choices, form } = question;
	if (form) return await receiveForm(this, question, form);
	if (readMethod(this) !== 'POST') {
		const labels = choices.map(({ label }) => label);
		return showPage(this, 200, questionPage(title, message, labels));
	}
	const label = (this.getBodyData() as IDataObject | undefined)?.['choice'];
	const choice = choices.find((candidate) => candidate.label === label);
	if (!choice) {
		return refuse(this, 400, 'Unknown answer', 'This question does not offer that answer.');
	}
	return await accepted(this, question, choice);
}

/** Shows the form, or takes the answer in it. A page cannot know who reads it, so there is no `user`. */
async function receiveForm(
	context: IWebhookFunctions,
	question: AskedQuestion,
	form: Form,
): Promise<IWebhookResponseData> {
	if (readMethod(context) !== 'POST') return showPage(context, 200, formPage(question, form));
	const body = readSentFields(context);
	if (form.token === '' || body[TOKEN] !== form.token) {
		return refuse(
			context,
			400,
			'Unknown form',
			'Open the page again from the notification, and send the answer from there.',
		);
	}
	const answer = answerIn(form, body);
	if ('problems' in answer) return showPage(context, 400, formPage(question, form, answer));
	take(context);
	if (question.streamToEnd !== undefined) {
		const { streamToEnd: streamKey } = question;
		await endActivity(context, createReader(context), { streamKey, label: 'Answered', user: null });
	}
	setHeaders(context, PAGE_HEADERS);
	return {
		webhookResponse: notePage('Thank you', RECORDED),
		workflowData: [[{ json: { data: answer.data }, pairedItem: { item: 0 } }]],
	};
}

/** n8n parses multipart/form-data into the fields, as `data`, and `files`. */
function readSentFields(context: IWebhookFunctions): IDataObject {
	const { data } = (context.getBodyData() as IDataObject | undefined) ?? {};
	return isObject(data) ? (data as IDataObject) : {};
}

function showPage(context: IWebhookFunctions, status: number, html: string): IWebhookResponseData {
	setHeaders(context, PAGE_HEADERS);
	return replyOnly(context, status, html);
}

/**
 * Resumes the workflow with the answer. `final` tells the Beckon server that this question has its one
 * answer, so the server closes all of its buttons (docs/api-decisions.md "Webhooks").
 */
async function accepted(
	context: IWebhookFunctions,
	{ streamToEnd: streamKey }: AskedQuestion,
	{ label, approved }: Choice,
): Promise<IWebhookResponseData> {
	take(context);
	const tap = readTap(context.getHeaderData());
	if (streamKey !== undefined) {
		await endActivity(context, createReader(context), { streamKey, label, user: tap.user });
	}
	const data = { ...(approved !== undefined && { approved }), choice: label, ...tap };
	const isPage = wantsPage(context);
	if (isPage) setHeaders(context, PAGE_HEADERS);
	return {
		webhookResponse: isPage
			? notePage(label, RECORDED)
			: { message: 'Your answer was recorded.', final: true },
		workflowData: [[{ json: { data }, pairedItem: { item: 0 } }]],
	};
}

function wantsPage(context: IWebhookFunctions): boolean {
	return (readHeader(context.getHeaderData(), 'accept') ?? '').includes('text/html');
}

/** Answers without resuming the workflow. */
function refuse(
	context: IWebhookFunctions,
	status: number,
	title: string,
	message: string,
): IWebhookResponseData {
	return wantsPage(context)
		? showPage(context, status, notePage(title, message))
		: replyOnly(context, status, { message });
}
