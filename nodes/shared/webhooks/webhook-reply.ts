import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** The parts used of the HTTP response that n8n passes to a webhook. */
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

/** Answers the caller without starting or resuming the workflow. */
export function replyOnly(
	context: IWebhookFunctions,
	status: number,
	content: string | object,
	headers: Readonly<Record<string, string>> = {},
): IWebhookResponseData {
	const response = context.getResponseObject() as unknown as Response;
	response.status(status);
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	if (typeof content === 'string') response.end(content);
	else response.json(content);
	return { noWebhookResponse: true };
}
