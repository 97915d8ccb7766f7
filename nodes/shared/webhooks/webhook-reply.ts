import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** What is used of the HTTP response that n8n passes to a webhook. */
interface Response {
	status: (code: number) => Response;
	setHeader: (name: string, value: string) => void;
	json: (body: object) => void;
	end: (text: string) => void;
}

export function readMethod(context: IWebhookFunctions): string {
	const request: unknown = context.getRequestObject();
	return (request as { method: string }).method;
}

function responseOf(context: IWebhookFunctions): Response {
	const response: unknown = context.getResponseObject();
	return response as Response;
}

export function setHeaders(
	context: IWebhookFunctions,
	headers: Readonly<Record<string, string>>,
): void {
	const response = responseOf(context);
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Answers the caller without starting or resuming the workflow. */
export function replyOnly(
	context: IWebhookFunctions,
	status: number,
	content: string | object,
): IWebhookResponseData {
	const response = responseOf(context).status(status);
	if (typeof content === 'string') response.end(content);
	else response.json(content);
	return { noWebhookResponse: true };
}
