import type { INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { accessOf } from '../../../../src/access';
import { isSuccess } from '../../../../src/answer';
import { Refused } from '../../../../src/errors';
import { sendOnce } from '../../../../src/send-once';
import { pathOf } from '../paths';

const END = 'end';
const KEEP = 'keep';

/** The phone's tap waits for the answer, so there is little time for the activity. */
const TIMEOUT = 3000;

export const afterResponseField: INodeProperties = {
	displayName: 'After the Response',
	name: 'afterResponse',
	type: 'options',
	default: END,
	options: [
		{
			name: 'End the Live Activity',
			value: END,
			description: 'Show the decision for two minutes, then take it off the lock screen',
		},
		{
			name: 'Keep the Live Activity',
			value: KEEP,
			description: 'Leave it to the nodes that follow to update or end it',
		},
	],
	description:
		'What becomes of the Live Activity. When nobody responds in time it always stays as it is.',
};

/** Ends the Live Activity of a question with the decision. The workflow goes on without it, too. */
export async function endActivity(
	context: IWebhookFunctions,
	{ label, user }: { label: string; user: string | null },
): Promise<void> {
	if (context.getNodeParameter('resource', '') !== 'liveActivity') return;
	if (context.getNodeParameter('options.afterResponse', END) === KEEP) return;
	try {
		const streamKey = context.getNodeParameter('streamKey', '') as string;
		const { baseUrl } = await accessOf(context);
		const message = user === null ? label : `${label} · ${user}`;
		const answer = await sendOnce(
			context,
			{
				method: 'DELETE',
				path: pathOf('live-activity', 'stream', streamKey),
				body: { content_state: { type: 'alert', message } },
			},
			{ baseUrl, timeout: TIMEOUT },
		);
		if (!isSuccess(answer)) throw new Refused(answer);
	} catch (error) {
		context.logger.warn('The Live Activity of an answered question could not be ended', {
			reason: error instanceof Error ? error.message : String(error),
		});
	}
}
