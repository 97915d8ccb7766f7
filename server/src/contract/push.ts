import { z } from 'zod';
import { action } from './actions.ts';
import {
	badgeCount,
	channelTarget,
	devicesNotified,
	effectiveChannelSlugs,
	metadata,
	tags,
	usersNotified,
} from './common.ts';
import { INTERRUPTION_LEVELS } from './values.ts';
import { atMost, freeObject, text, timestamp } from './text.ts';
import { mediaUrl, redirectionUrl } from './urls.ts';

/** Characters of a message. It is stored whole, and cut where a gateway takes less. */
export const MAX_MESSAGE = 16_000;

/** Body of POST /push-notification (docs/api-decisions.md "Requests"). */
export const pushRequest = z
	.strictObject({
		metadata: metadata.optional(),
		title: text({ min: 1, max: 255, trim: true }).describe('First line of the notification.'),
		message: text({ max: MAX_MESSAGE }).optional().describe('Text of the notification.'),
		subtitle: text({ max: 255 })
			.optional()
			.describe('Line under the title. With a custom icon iOS may not show it.'),
		icon: mediaUrl
			.optional()
			.describe('HTTPS URL of an image to show. If it cannot be loaded, the app icon is used.'),
		interruption_level: z
			.enum(INTERRUPTION_LEVELS)
			.default('active')
			.describe(
				'How much it interrupts: passive makes no sound, time-sensitive breaks through a Focus, critical sounds on a muted phone.',
			),
		media: mediaUrl
			.optional()
			.describe(
				'HTTPS URL of an image, audio or video, shown when the notification is expanded. Without redirection a tap opens it. Not together with actions.',
			),
		redirection: redirectionUrl
			.optional()
			.describe(
				'URL that a tap opens: a web page, a shortcut or an installed app. Spaces are percent-encoded.',
			),
		actions: atMost(4, z.array(action), 'must have at most 4 actions')
			.optional()
			.describe('Up to 4 buttons under the notification. Not together with media.'),
		payload: freeObject({ maxBytes: 2048 })
			.optional()
			.describe('JSON object of your own that the app gets with the notification, up to 2 KiB.'),
		badge: badgeCount.optional(),
		sound: text({ min: 1, max: 64 })
			.default('default')
			.describe('Name of the sound; default for the usual one, none for silence.'),
		target: channelTarget.optional(),
		tags: tags.optional(),
	})
	.refine((request) => request.media === undefined || !request.actions?.length, {
		path: ['media'],
		error: 'cannot be combined with actions; send one of the two',
	})
	.meta({ id: 'PushNotificationRequest', description: 'The notification.' });

export const pushResponse = z
	.strictObject({
		success: z.literal(true),
		devices_notified: devicesNotified,
		users_notified: usersNotified,
		effective_channel_slugs: effectiveChannelSlugs,
		tags: tags.optional(),
		timestamp,
	})
	.meta({ id: 'PushNotificationResponse' });

export type PushRequest = z.output<typeof pushRequest>;
export type PushResponse = z.output<typeof pushResponse>;
