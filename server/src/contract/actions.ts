import { z } from 'zod';
import { freeObject, text, unknownType, shortened } from './text.ts';
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
		'The URL to call. It may answer with JSON: `message`, a text for the person who tapped, and with a 2xx status `final`: true, which closes all webhook buttons of the notification or Live Activity.',
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

/** Bytes read from a webhook's JSON response; a longer one counts as empty. */
export const MAX_WEBHOOK_RESPONSE_BYTES = 16 * 1024;

/** Characters shown of a webhook's message. */
const MAX_WEBHOOK_MESSAGE = 200;

/**
 * A webhook's JSON response to a tap (docs/api-decisions.md "Webhooks"). Unknown fields and fields of another type
 * are ignored: the sender's system can respond with anything.
 */
export const webhookResponse = z.object({
	/** For the person who tapped, with any status. */
	message: z.string().transform(readable).optional().catch(undefined),
	/** With a 2xx status, true means that the question is answered: all webhook buttons close on every phone. */
	final: z.boolean().optional().catch(undefined),
});

export type WebhookResponse = z.output<typeof webhookResponse>;

function readable(message: string): string | undefined {
	const line = message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
	return shortened(line, MAX_WEBHOOK_MESSAGE) || undefined;
}
