import { z } from 'zod';
import { action } from './actions.ts';
import { badgeCount, channelTarget, effectiveChannelSlugs, metadata, tags } from './common.ts';
import { freeObject, text, timestamp } from './text.ts';
import { mediaUrl, redirectionUrl } from './urls.ts';

export const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'] as const;

/** Body of POST /push-notification (service-api.md "Push notification request"). */
export const pushRequest = z
	.strictObject({
		metadata: metadata.optional(),
		title: text({ min: 1, max: 255, trim: true }),
		message: text({ max: 4000 }).optional(),
		subtitle: text({ max: 255 }).optional(),
		icon: mediaUrl.optional(),
		interruption_level: z.enum(INTERRUPTION_LEVELS).default('active'),
		media: mediaUrl.optional(),
		redirection: redirectionUrl.optional(),
		actions: z.array(action).max(4, 'must have at most 4 actions').optional(),
		payload: freeObject({ maxBytes: 2048 }).optional(),
		badge: badgeCount.optional(),
		sound: text({ min: 1, max: 64 }).default('default'),
		target: channelTarget.optional(),
		tags: tags.optional(),
	})
	.refine((request) => request.media === undefined || !request.actions?.length, {
		path: ['media'],
		error: 'cannot be combined with actions; send one of the two',
	})
	.meta({ id: 'PushNotificationRequest' });

export const pushResponse = z
	.strictObject({
		success: z.literal(true),
		devices_notified: z.int(),
		users_notified: z.int(),
		effective_channel_slugs: effectiveChannelSlugs,
		tags: tags.optional(),
		timestamp,
	})
	.meta({ id: 'PushNotificationResponse' });

export type PushRequest = z.output<typeof pushRequest>;
export type PushResponse = z.output<typeof pushResponse>;
