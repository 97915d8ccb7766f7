import { z } from 'zod';
import { freeObject, text, unknownType } from './text.ts';
import { actionUrl } from './urls.ts';

const title = text({ min: 1, max: 64, trim: true }).describe('Label of the button.');
const type = 'What a tap does.';

const openUrlAction = z.strictObject({
	title,
	type: z.literal('open_url').describe(type),
	url: actionUrl(
		['https', 'http', 'shortcuts'],
		'must be an https, http or shortcuts URL',
	).describe('The URL to open.'),
});

/** The service rejects `http` unless private webhooks are allowed, a setting unknown to the contract. */
const webhookAction = z.strictObject({
	title,
	type: z.literal('webhook').describe(type),
	url: actionUrl(['https', 'http'], 'must be an https URL').describe(
		'The URL to call. Its possible answers are described under the webhook `buttonTapped`.',
	),
	method: z.enum(['GET', 'POST']).default('POST').describe('HTTP method of the call.'),
	body: freeObject()
		.optional()
		.describe('JSON object that a POST sends to the URL; a GET sends no body.'),
});

/** A button on a notification or Live Activity (docs/api-decisions.md "Requests"). */
export const action = z.discriminatedUnion('type', [openUrlAction, webhookAction], {
	error: unknownType(['open_url', 'webhook']),
});

export type Action = z.output<typeof action>;
