import type { INodeProperties } from 'n8n-workflow';

import { SEQUENCE_HEADER, TTL_HEADER } from '../../../../src/rules/call';
import { fillsBody, fillsHeader } from '../../../shared/declared/hooks';
import { mediaUrl, sequenceId, ttlSeconds } from '../../../shared/fields/bounds';
import { within } from '../../../shared/fields/rules';
import { badgeNumber, choice, field, numeric, sends, sendsBy } from '../../shared/field';
import { metadataField, objectOption } from '../../shared/object-option';
import { ifTooLong } from '../../shared/options';
import { tagsField } from '../../shared/tags';

const payloadField = objectOption(
	'Payload',
	'payload',
	'A JSON object for the app on the phone, up to 2 KiB',
);

const sendMedia = fillsBody('media', (read) => {
	const media = read.text('media', 'options.media', mediaUrl);
	const hasButtons = read.rows('actions', 'actions.button').length > 0;
	return media !== undefined && hasButtons
		? read.broken('media', 'cannot be combined with actions; send one of the two')
		: media;
});

/** How every push notification looks and sounds, besides its text and buttons. */
export const lookOptions: INodeProperties[] = [
	field('Subtitle', 'subtitle', {
		description: 'The line under the title, up to 255 characters',
		...sends('subtitle'),
	}),
	field('Open URL on Tap', 'redirection', {
		description: 'A web page, a shortcut (shortcuts://) or an installed app',
		placeholder: 'e.g. https://example.com/orders/42',
		...sends('redirection'),
	}),
	field('Sound', 'sound', {
		description: 'What the phone plays. An expression can name a sound of your own app.',
		...choice('default', { default: 'Default', none: 'None' }),
		allowArbitraryValues: true,
		...sends('sound'),
	}),
	field('Interruption Level', 'interruptionLevel', {
		description: 'How much the notification may disturb',
		...choice('active', {
			passive: ['Passive', 'Add to the list without a sound'],
			active: ['Active', 'Sound and light up the screen'],
			'time-sensitive': ['Time Sensitive', 'Break through a Focus'],
			critical: ['Critical', 'Sound even when the phone is muted'],
		}),
		...sends('interruption_level'),
	}),
	field('Badge', 'badge', {
		description: 'The number to set on the app icon at the same time; 0 clears it',
		...badgeNumber,
		...sends('badge'),
	}),
	field('Icon URL', 'icon', {
		description: 'An image to show in place of the app icon. It may hide the subtitle.',
		placeholder: 'e.g. https://example.com/icon.png',
		...sends('icon'),
	}),
];

/** Data that every push notification can carry. */
export const dataOptions = [tagsField, metadataField, payloadField, ifTooLong];

/** For notifications without a question. A server that does not know the header replaces nothing. */
export const replacesField = field('Replaces', 'replaces', {
	description:
		'A name of your own. The notification takes the place of the last one with the same name and recipients, on every phone.',
	placeholder: 'e.g. deploy-42',
	...sendsBy(
		fillsHeader(SEQUENCE_HEADER, (read) =>
			read.text(SEQUENCE_HEADER, 'options.replaces', sequenceId),
		),
	),
});

const expiryMinutes = { minValue: 1, maxValue: ttlSeconds.maxValue / 60, numberPrecision: 0 };

const sendTtl = fillsHeader(TTL_HEADER, (read) => {
	const minutes = read.wholeNumber(TTL_HEADER, 'options.expiresAfter', within(expiryMinutes));
	return minutes === undefined ? undefined : minutes * 60;
});

/** For notifications without a question, which has a deadline. A server that does not know the header ignores it. */
export const expiresField = field('Expires After (Minutes)', 'expiresAfter', {
	description: 'After this time, it is no longer delivered or repeated',
	...numeric(expiryMinutes, 60),
	...sendsBy(sendTtl),
});

export const mediaField = field('Media URL', 'media', {
	description:
		'An image, audio or video to show when the notification is expanded, unless it has buttons',
	placeholder: 'e.g. https://example.com/camera.jpg',
	...sendsBy(sendMedia),
});

const QUESTION_OPTIONS = ['subtitle', 'sound', 'interruptionLevel', 'icon'];

/** How a question looks and sounds. A tap on it opens nothing, and it does not change the badge. */
export const questionLookOptions: INodeProperties[] = [
	...lookOptions.filter(({ name }) => QUESTION_OPTIONS.includes(name)),
	{
		...mediaField,
		description: 'An image, audio or video to show with the question',
		...sends('media'),
	},
	tagsField,
	metadataField,
	ifTooLong,
];
