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
	/** For the person who tapped. Control characters and line breaks become spaces. */
	message: z
		.string()
		.transform(readable)
		.optional()
		.catch(undefined)
		.meta({ description: `Up to ${MAX_WEBHOOK_MESSAGE} characters are shown.` }),
	/** With a 2xx status: the question is answered, and all its webhook buttons close on every phone. */
	final: z.boolean().optional().catch(undefined),
});

export type WebhookAnswer = z.output<typeof webhookAnswer>;

function readable(message: string): string | undefined {
	const text = message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
	const characters = Array.from(text);
	if (characters.length === 0) return undefined;
	if (characters.length <= MAX_WEBHOOK_MESSAGE) return text;
	return `${characters.slice(0, MAX_WEBHOOK_MESSAGE - 1).join('')}…`;
}
