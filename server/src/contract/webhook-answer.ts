import { z } from 'zod';
import { shortened } from './text.ts';

/** Bytes read from a webhook's JSON answer; a longer one counts as empty. */
export const MAX_WEBHOOK_ANSWER_BYTES = 16 * 1024;

/** Characters shown of a webhook's message. */
const MAX_WEBHOOK_MESSAGE = 200;

/**
 * A webhook's JSON answer to a tap (docs/api-decisions.md "Webhooks"). Unknown fields and fields of another
 * type are ignored: the sender's system can answer anything.
 */
export const webhookAnswer = z.object({
	message: z
		.string()
		.transform(readable)
		.optional()
		.catch(undefined)
		.describe(
			`Text for the person who tapped, with any status. Up to ${MAX_WEBHOOK_MESSAGE} characters are shown, on one line.`,
		),
	final: z
		.boolean()
		.optional()
		.catch(undefined)
		.describe(
			'With a 2xx status, true means that the question is answered: all webhook buttons of the notification or Live Activity close on every phone.',
		),
});

export type WebhookAnswer = z.output<typeof webhookAnswer>;

function readable(message: string): string | undefined {
	const line = message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
	return shortened(line, MAX_WEBHOOK_MESSAGE) || undefined;
}
