import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { mediaUrl } from '../../../shared/fields/bounds';
import { channelsField } from '../../shared/channels';
import { badgeNumber, field, sends, sendsBy } from '../../shared/field';
import { metadataField, rowsOrJson } from '../../shared/rows-or-json';
import { tagsField } from '../../shared/tags';

const payloadField = rowsOrJson(
	'Payload',
	'payload',
	'Values of your own that the app receives beside the notification, up to 2 KiB',
);

const sendMedia = fillsBody('media', (read) => {
	const media = read.text('media', 'options.media', mediaUrl);
	const hasButtons = read.rows('actions', 'actions.button').length > 0;
	return media !== undefined && hasButtons
		? read.broken('media', 'cannot be combined with actions; send one of the two')
		: media;
});

/** Fields of every push notification, besides its text and buttons. */
export const pushOptions: INodeProperties[] = [
	channelsField,
	metadataField,
	payloadField,
	tagsField,
	field(
		'Badge',
		'badge',
		'The number to set on the app icon together with the notification; 0 clears it',
		{ ...badgeNumber, ...sends('badge') },
	),
	field(
		'Icon URL',
		'icon',
		'An image to show in place of the app icon. It may hide the subtitle.',
		{ placeholder: 'e.g. https://example.com/icon.png', ...sends('icon') },
	),
	field('Interruption Level', 'interruptionLevel', 'How much the notification may disturb', {
		type: 'options',
		default: 'active',
		options: [
			{ name: 'Passive', value: 'passive', description: 'Add to the list without a sound' },
			{ name: 'Active', value: 'active', description: 'Sound and light up the screen' },
			{ name: 'Time Sensitive', value: 'time-sensitive', description: 'Break through a Focus' },
			{ name: 'Critical', value: 'critical', description: 'Sound even when the phone is muted' },
		],
		...sends('interruption_level'),
	}),
	field(
		'Sound',
		'sound',
		'The name of the sound to play, default for the usual one or none for silence',
		{ default: 'default', ...sends('sound') },
	),
	field(
		'Subtitle',
		'subtitle',
		'The line under the title, up to 255 characters',
		sends('subtitle'),
	),
	field(
		'Tap Opens',
		'redirection',
		'The URL to open when the notification is tapped: a web page, a shortcut (shortcuts://) or an installed app. If left empty, the Media URL is opened, if there is one.',
		{ placeholder: 'e.g. https://example.com/orders/42', ...sends('redirection') },
	),
];

/** For notifications without a question: a question needs its buttons. */
export const mediaField = field(
	'Media URL',
	'media',
	'An image, audio or video to show when the notification is expanded. It cannot be combined with Buttons.',
	{ placeholder: 'e.g. https://example.com/camera.jpg', ...sendsBy(sendMedia) },
);
