import { z } from 'zod';
import { badgeCount, count, effectiveChannelSlugs } from './common.ts';
import { KEY_REUSED } from './push-headers.ts';
import { timestamp } from './text.ts';

const issue = z.strictObject({
	path: z.string().describe('Path of the field in the body, such as content_state.title.'),
	message: z.string().describe('The rule that it breaks.'),
});

const errorBody = z.looseObject({
	error: z.string().describe('Short and stable.'),
	message: z.string().describe('For people: what is wrong, and what to do.'),
});

export const badRequestError = errorBody
	.extend({ code: z.literal('invalid_tags').optional(), issues: z.array(issue).optional() })
	.meta({ id: 'BadRequestError' });
export const unauthorizedError = errorBody.meta({ id: 'UnauthorizedError' });
export const forbiddenError = errorBody.meta({ id: 'ForbiddenError' });
export const notFoundError = errorBody.meta({ id: 'NotFoundError' });
export const requestError = errorBody.meta({ id: 'RequestError' });

/** The code of a 503 that was sent before anything was stored or sent. */
export const NOT_STORED = 'not_stored';

export const unavailableError = errorBody
	.extend({
		code: z
			.literal(NOT_STORED)
			.optional()
			.describe(
				'Nothing was stored or sent: send the same request again after Retry-After. Without it, the server does not know whether it stored the request.',
			),
	})
	.meta({ id: 'UnavailableError' });

export const noRecipientsError = errorBody
	.extend({ effective_channel_slugs: effectiveChannelSlugs })
	.meta({ id: 'NoRecipientsError' });

export const keyReusedError = errorBody
	.extend({ code: z.literal(KEY_REUSED) })
	.meta({ id: 'IdempotencyKeyReusedError' });

export const metricError = z
	.looseObject({ error: z.string(), message: z.string().optional() })
	.meta({ id: 'MetricError' });

export const billingBlockedError = z
	.looseObject({
		error: z.enum(['trial_expired', 'trial_exhausted', 'billing_overage_cap_reached']),
		message: z.string(),
		trial_period: z.strictObject({ started_at: timestamp, ends_at: timestamp }).optional(),
		upgrade_url: z.url(),
	})
	.meta({ id: 'BillingBlockedError' });

export const rateLimitError = errorBody
	.extend({ code: z.literal('rate_limited').optional() })
	.meta({ id: 'RateLimitError' });

export const liveActivityLimitError = errorBody
	.extend({
		limit: count().describe('Concurrent Live Activities that a phone can have.'),
		active: count().describe('The highest count among the targeted phones.'),
		blocked_devices: count().optional().describe('Number of full phones, if only some are.'),
		targeted_devices: count().optional(),
	})
	.meta({ id: 'LiveActivityLimitError' });

export const badgeUpdateError = z
	.looseObject({
		error: z.string(),
		code: z.enum(['badge_device_disconnected', 'badge_update_failed']),
		message: z.string(),
		badge: badgeCount,
		devices_targeted: count(),
		devices_updated: count(),
		users_updated: count(),
		devices_notified: count().meta({ deprecated: true }),
		effective_channel_slugs: effectiveChannelSlugs,
	})
	.meta({ id: 'AppIconBadgeCountUpdateError' });

export type BillingBlock = z.output<typeof billingBlockedError>['error'];
export type BadgeUpdateError = z.output<typeof badgeUpdateError>;
export type BadgeFailure = BadgeUpdateError['code'];
