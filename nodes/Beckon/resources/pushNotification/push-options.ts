import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { badgeCount, oneOf } from '../../../../src/rules';
import { channelsField, targetOf } from '../../shared/channels';
import { metadataField, metadataOf } from '../../shared/metadata';
import { tagsField, tagsOf } from '../../shared/tags';

const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'];

/** What every push notification can have beside its text and buttons. */
export const pushOptions: INodeProperties[] = [
	channelsField,
	metadataField,
	tagsField,
	{
		displayName: 'Badge',
		name: 'badge',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		description: 'The number to set on the app icon together with the notification; 0 clears it',
	},
	{
		displayName: 'Icon URL',
		name: 'icon',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/icon.png',
		description: 'An image to show in place of the app icon. A subtitle may be hidden by it.',
	},
	{
		displayName: 'Interruption Level',
		name: 'interruptionLevel',
		type: 'options',
		default: 'active',
		options: [
			{ name: 'Active', value: 'active', description: 'Sound and light up the screen' },
			{ name: 'Critical', value: 'critical', description: 'Sound even when the phone is muted' },
			{ name: 'Passive', value: 'passive', description: 'Add to the list without a sound' },
			{ name: 'Time Sensitive', value: 'time-sensitive', description: 'Break through a focus' },
		],
		description: 'How much the notification may disturb',
	},
	{
		displayName: 'Payload',
		name: 'payload',
		type: 'json',
		default: '{}',
		description:
			'A JSON object of your own that the app receives beside the notification, up to 2 KiB',
	},
	{
		displayName: 'Sound',
		name: 'sound',
		type: 'string',
		default: 'default',
		description: 'The name of the sound to play, default for the usual one or none for silence',
	},
	{
		displayName: 'Subtitle',
		name: 'subtitle',
		type: 'string',
		default: '',
		description: 'The line under the title, up to 255 characters',
	},
	{
		displayName: 'Tap Opens',
		name: 'redirection',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/orders/42',
		description:
			'The URL to open when the notification is tapped: a web page, a shortcut (shortcuts://) or an installed app. When left empty, it is the Media URL, if there is one.',
	},
];

/** The text and the options of a push notification, as the request has them. */
export function pushContentOf(read: FieldReader): IDataObject {
	return compact({
		title: read.required('title', read.text('title', 'title')),
		message: read.text('message', 'message'),
		subtitle: read.text('subtitle', 'options.subtitle'),
		icon: read.text('icon', 'options.icon'),
		interruption_level: read.text(
			'interruption_level',
			'options.interruptionLevel',
			oneOf(INTERRUPTION_LEVELS),
		),
		redirection: read.text('redirection', 'options.redirection'),
		payload: read.object('payload', 'options.payload'),
		badge: read.wholeNumber('badge', 'options.badge', badgeCount),
		sound: read.text('sound', 'options.sound'),
		target: targetOf(read),
		tags: tagsOf(read),
		metadata: metadataOf(read),
	});
}
