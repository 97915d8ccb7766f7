import { z } from 'zod';
import { badgeCount, channelTarget, count, effectiveChannelSlugs } from './common.ts';
import { timestamp } from './text.ts';

/** Body of POST /badge. */
export const badgeRequest = z
	.strictObject({ badge: badgeCount, target: channelTarget.optional() })
	.meta({ id: 'AppIconBadgeCountUpdateRequest' });

export const badgeResponse = z
	.strictObject({
		success: z.literal(true),
		badge: badgeCount,
		devices_updated: count().describe('Phones whose badge was updated.'),
		users_updated: count().describe('People with at least one updated phone.'),
		devices_notified: count().meta({ deprecated: true, description: 'Alias of devices_updated.' }),
		users_notified: count().meta({ deprecated: true, description: 'Alias of users_updated.' }),
		effective_channel_slugs: effectiveChannelSlugs,
		timestamp,
	})
	.meta({ id: 'AppIconBadgeCountUpdateResponse' });

export type BadgeRequest = z.output<typeof badgeRequest>;
export type BadgeResponse = z.output<typeof badgeResponse>;
