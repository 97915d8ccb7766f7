import { z } from 'zod';
import { pushHeaders } from './idempotency.ts';

/** As in ntfy (https://docs.ntfy.sh/publish/#updating-deleting-notifications). */
export const sequenceId = z
	.string()
	.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes and underscores');

/** Headers of a push that may replace an earlier one (docs/api-decisions.md "Replacing a push"). */
export const replacingPushHeaders = pushHeaders.extend({
	'X-Sequence-ID': sequenceId
		.optional()
		.describe(
			'Takes the last push with the same id to the same target off every phone, and comes in its place.',
		),
});
