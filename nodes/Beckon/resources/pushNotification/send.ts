import type { INodeProperties } from 'n8n-workflow';

import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { pushButtonsField, pushButtonsOf } from '../../shared/buttons';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { pushContentOf, pushOptions } from './push-options';

const showOnlyForSend = { resource: ['pushNotification'], operation: ['send'] };

const mediaField: INodeProperties = {
	displayName: 'Media URL',
	name: 'media',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/camera.jpg',
	description:
		'An image, audio or video to show when the notification is expanded. It cannot be combined with Buttons.',
};

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
	optionsOf(...pushOptions, mediaField),
]);

/** service-api.md section 2. */
export function sendCall(read: FieldReader): BeckonCall {
	const media = read.text('media', 'options.media');
	const actions = pushButtonsOf(read);
	if (media !== undefined && actions) {
		read.broken('media', 'cannot be combined with actions; send one of the two');
	}
	const body = compact({ ...pushContentOf(read), media, actions });
	return { method: 'POST', path: '/push-notification', body };
}
