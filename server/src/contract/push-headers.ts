import { z } from 'zod';
import { queryNumber } from './common.ts';

/** A string of a structured field (RFC 9651 section 3.3.3), or the bare value that many clients send. */
const KEY = /^(?:"(?:[ !#-[\]-~]|\\["\\]){1,255}"|[!#-+\--[\]-~]{1,255})$/;

/** Headers of a request for a push (docs/api-decisions.md "Idempotency keys"). */
export const pushHeaders = z.object({
	'Idempotency-Key': z
		.string()
		.regex(
			KEY,
			'must be one key of 1 to 255 ASCII characters in double quotes, such as "order-7"; inside them, write \\" for a quote and \\\\ for a backslash',
		)
		.transform((text) =>
			text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text,
		)
		.optional()
		.describe(
			'A string of a structured field, new for each push. For a day, a request with the same key and body delivers nothing more, and gets the response of the first.',
		),
});

/** Header of every response to a push whose key the server honors. */
export const IDEMPOTENCY_HEADER = 'Beckon-Idempotency';

/** The code of a 422 for a key that another push has. */
export const KEY_REUSED = 'idempotency_key_reused';

/** Header of the response to a request that sends: the id of its entry, in the console and `history show`. */
export const HISTORY_HEADER = 'Beckon-History-Id';

/** As in ntfy (https://docs.ntfy.sh/publish/#updating-deleting-notifications). */
export const sequenceId = z
	.string()
	.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes and underscores');

/** Seconds, as in RFC 8030 section 5.2, but counted until the phone has it: up to 30 days. */
export const ttl = queryNumber(1, 2_592_000);

/** Headers of a push that asks nothing (docs/api-decisions.md "Replacing a push" and "Expiry"). */
export const plainPushHeaders = pushHeaders.extend({
	'X-Sequence-ID': sequenceId
		.optional()
		.describe('Replaces the last push with the same id and target on every phone.'),
	TTL: ttl
		.optional()
		.describe(
			'Seconds until the push expires: a phone that it has not reached by then does not get it.',
		),
});
