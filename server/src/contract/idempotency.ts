import { z } from 'zod';

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
			'A string of a structured field, new for each push. For a day, a request with the same key and body delivers nothing more, and gets the answer of the first.',
		),
});

/** Header of every answer to a push whose key the server heeds. */
export const IDEMPOTENCY_HEADER = 'Beckon-Idempotency';

/** The code of a 422 for a key that another push has. */
export const KEY_REUSED = 'idempotency_key_reused';
