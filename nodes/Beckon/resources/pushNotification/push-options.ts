import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { channelsField } from '../../shared/channels';
import { metadataFields } from '../../shared/metadata';
import { rowsOrJson } from '../../shared/rows-or-json';
import { tagsField } from '../../shared/tags';

const payloadFields = rowsOrJson(
	'Payload',
	'payload',
	'Values of your own that the app receives beside the notification, up to 2 KiB',
);

const sendMedia = fillsBody('media', (read) => {
	const media = read.text('media', 'options.media');
	const hasButtons = read.rows('actions', 'actions.button').length > 0;
	return media !== undefined && hasButtons
		? read.broken('media', 'cannot be combined with actions; send one of the two')
		: media;
});

/** Fields of every push notification, besides its text and buttons. */
export const pushOptions: INodeProperties[] = [
	channelsField,
	...metadataFields,
	...payloadFields,
	tagsField,
	{
		displayName: 'Badge',
		name: 'badge',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2147483647, numberPrecision: 0 },
		default: 1,
		description: 'The number to set on the app icon together with the notification; 0 clears it',
		routing: { send: { type: 'body', property: 'badge' } },
	},
	{
		displayName: 'Icon URL',
		name: 'icon',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/icon.png',
		description: 'An image to show in place of the app icon. It may hide the subtitle.',
		routing: { send: { type: 'body', property: 'icon' } },
	},
	{
		displayName: 'Interruption Level',
		name: 'interruptionLevel',
		type: 'options',
		default: 'active',
		options: [
			{ name: 'Passive', value: 'passive', description: 'Add to the list without a sound' },
			{ name: 'Active', value: 'active', description: 'Sound and light up the screen' },
			{ name: 'Time Sensitive', value: 'time-sensitive', description: 'Break through a Focus' },
			{ name: 'Critical', value: 'critical', description: 'Sound even when the phone is muted' },
		],
		description: 'How much the notification may disturb',
		routing: { send: { type: 'body', property: 'interruption_level' } },
	},
	{
		displayName: 'Sound',
		name: 'sound',
		type: 'string',
		default: 'default',
		description: 'The name of the sound to play, default for the usual one or none for silence',
		routing: { send: { type: 'body', property: 'sound' } },
	},
	{
		displayName: 'Subtitle',
		name: 'subtitle',
		type: 'string',
		default: '',
		description: 'The line under the title, up to 255 characters',
		routing: { send: { type: 'body', property: 'subtitle' } },
	},
	{
		displayName: 'Tap Opens',
		name: 'redirection',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/orders/42',
		description:
			'The URL to open when the notification is tapped: a web page, a shortcut (shortcuts://) or an installed app. If left empty, the Media URL is opened, if there is one.',
		routing: { send: { type: 'body', property: 'redirection' } },
	},
];

/** For notifications without a question: a question needs its buttons. */
export const mediaField: INodeProperties = {
	displayName: 'Media URL',
	name: 'media',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/camera.jpg',
	description:
		'An image, audio or video to show when the notification is expanded. It cannot be combined with Buttons.',
	routing: { send: { preSend: [sendMedia] } },
};
