import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readHeader } from '../../src/rules/answer';
import { isSameSecret } from '../shared/webhooks/same-secret';
import { readTap } from '../shared/webhooks/tap';
import { readTriggerBody } from '../shared/webhooks/trigger-body';
import { readTriggerSecret } from '../shared/webhooks/trigger-secret';
import { replyOnly } from '../shared/webhooks/webhook-reply';

/**
 * n8n registers the URL itself; no service has to be told. Without an empty `responseData`, n8n would
 * answer with its own text instead of `webhookResponse`.
 */
export const tapWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: '',
		path: 'beckon',
	},
];

/**
 * Starts the workflow if the call has the secret. An action has a URL, a method and a body, but no
 * headers. The secret is in the body, because proxies and servers write URLs to their logs. The output
 * omits the secret. Calls for the same tap have the same `tapId`; it is null if the caller does not
 * name a tap.
 */
export async function receiveTap(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const parts = readTriggerBody(this.getBodyData());
	const secret = await readTriggerSecret(this);
	if (!parts || !isSameSecret(secret ?? '', parts.secret)) {
		return replyOnly(this, 403, {
			message: 'This button’s secret is not the one of the Beckon Trigger.',
		});
	}
	const headers = this.getHeaderData();
	const { respondedAt, ...who } = readTap(headers);
	const tapId = readHeader(headers, 'beckon-tap-id') ?? null;
	return {
		webhookResponse: { message: 'Done.' },
		workflowData: [[{ json: { data: parts.data, ...who, tappedAt: respondedAt, tapId } }]],
	};
}
