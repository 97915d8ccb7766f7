import type { IWebhookFunctions } from 'n8n-workflow';

import { readAccess } from '../../../../src/n8n/access';
import { isSuccess } from '../../../../src/rules/answer';
import { Refused } from '../../../shared/errors/errors';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { sendOnce } from '../../../../src/n8n/send-once';
import { readRequestOptions } from '../../../shared/declared/sending-options';
import { choice, field } from '../field';

const END = 'end';
const KEEP = 'keep';

/** Milliseconds. The phone's tap waits for the answer, which leaves little time for the activity. */
const LONGEST_TIMEOUT = 3000;

export const afterResponseField = field('After the Response', 'afterResponse', {
	description: 'What to do with the Live Activity. If nobody responds in time, it is not changed.',
	...choice(END, [
		{
			name: 'End the Live Activity',
			value: END,
			description: 'Show the decision for two minutes, then remove it',
		},
		{
			name: 'Keep the Live Activity',
			value: KEEP,
			description: 'Leave it to the nodes that follow',
		},
	]),
});

/** The stream key of the Live Activity that ends with the response, if any. */
export function readStreamToEnd(read: FieldReader): string | undefined {
	if (read.text('resource', 'resource') !== 'liveActivity') return undefined;
	if (read.text('afterResponse', 'options.afterResponse') === KEEP) return undefined;
	return read.text('stream_key', 'streamKey');
}

/**
 * Ends the Live Activity of a question with the decision. The workflow continues even if this fails.
 * @param read for the request options: not kept with the question, because a proxy may have a password
 */
export async function endActivity(
	context: IWebhookFunctions,
	read: FieldReader,
	{ streamKey, label, user }: { streamKey: string; label: string; user: string | null },
): Promise<void> {
	try {
		const { timeout = LONGEST_TIMEOUT, ...requestOptions } = readRequestOptions(read);
		read.assertValid();
		const { baseUrl } = await readAccess(context);
		const message = user === null ? label : `${label} · ${user}`;
		const answer = await sendOnce(
			context,
			{
				method: 'DELETE',
				path: `/live-activity/stream/${encodeURIComponent(streamKey)}`,
				body: { content_state: { type: 'alert', message } },
			},
			{ ...requestOptions, baseUrl, timeout: Math.min(timeout, LONGEST_TIMEOUT) },
		);
		if (!isSuccess(answer)) throw new Refused(answer);
	} catch (error) {
		context.logger.warn('The Live Activity of an answered question could not be ended', {
			reason: error instanceof Error ? error.message : String(error),
		});
	}
}
