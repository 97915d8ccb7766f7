import { z } from 'zod';

/** A webhook's JSON answer is read up to here; a longer one counts as saying nothing. */
export const MAX_WEBHOOK_ANSWER_BYTES = 16 * 1024;

/** Characters of a webhook's message that a person gets to read. */
const MAX_WEBHOOK_MESSAGE = 200;

/**
 * What a webhook may say to a tap, as JSON (docs/api-decisions.md "Webhooks"). Everything else in the
 * answer is ignored, and so is a field of another type: the sender's system may answer as it likes.
 */
export const webhookAnswer = z.object({
	message: z
		.string()
		.transform(readable)
		.optional()
		.catch(undefined)
		.describe(
			`What the person who tapped reads, with any status. Up to ${MAX_WEBHOOK_MESSAGE} characters are shown, on one line.`,
		),
	final: z
		.boolean()
		.optional()
		.catch(undefined)
		.describe(
			'With a 2xx status, true says that the question is answered: all webhook buttons of the notification or Live Activity close on every phone.',
		),
});

export type WebhookAnswer = z.output<typeof webhookAnswer>;

function readable(message: string): string | undefined {
	const text = message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
	const characters = Array.from(text);
	if (characters.length === 0) return undefined;
	if (characters.length <= MAX_WEBHOOK_MESSAGE) return text;
	return `${characters.slice(0, MAX_WEBHOOK_MESSAGE - 1).join('')}…`;
}
