import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { badgeCount, oneOf } from '../../../../src/rules';
import { pushButtonsField, pushButtonsOf } from '../../shared/buttons';
import { channelsField, targetOf } from '../../shared/channels';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { tagsField, tagsOf } from '../../shared/tags';

const showOnlyForSend = { resource: ['pushNotification'], operation: ['send'] };

const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'];

export const sendFields = shownFor(showOnlyForSend, [
	{
		displayName: 'Title',
		name: 'title',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. New order',
		description: 'The first line of the notification, up to 255 characters',
	},
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. 3 books for 42 €',
		description: 'The text of the notification, up to 4,000 characters',
	},
	pushButtonsField,
	optionsOf(
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
			displayName: 'Media URL',
			name: 'media',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/camera.jpg',
			description:
				'An image, audio or video to show when the notification is expanded. It cannot be combined with Buttons.',
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
	),
]);

/** service-api.md section 2. */
export function sendCall(read: FieldReader): BeckonCall {
	const media = read.text('media', 'options.media');
	const actions = pushButtonsOf(read);
	if (media !== undefined && actions) {
		read.broken('media', 'cannot be combined with actions; send one of the two');
	}
	const body = compact({
		title: read.required('title', read.text('title', 'title')),
		message: read.text('message', 'message'),
		subtitle: read.text('subtitle', 'options.subtitle'),
		icon: read.text('icon', 'options.icon'),
		interruption_level: read.text(
			'interruption_level',
			'options.interruptionLevel',
			oneOf(INTERRUPTION_LEVELS),
		),
		media,
		redirection: read.text('redirection', 'options.redirection'),
		actions,
		payload: read.object('payload', 'options.payload'),
		badge: read.wholeNumber('badge', 'options.badge', badgeCount),
		sound: read.text('sound', 'options.sound'),
		target: targetOf(read),
		tags: tagsOf(read),
		metadata: metadataOf(read),
	});
	return { method: 'POST', path: '/push-notification', body };
}
