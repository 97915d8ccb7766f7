import type { INodeProperties } from 'n8n-workflow';

import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { pushButtonsField, pushButtonsOf } from '../../shared/buttons';
import { parallelRequests, type OperationOptions } from '../../shared/options';
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

/** Shown below the title and the message. */
export const sendFields = shownFor(showOnlyForSend, [pushButtonsField]);

export const sendOptions: OperationOptions = {
	resource: 'pushNotification',
	operation: 'send',
	fields: [...pushOptions, mediaField, parallelRequests],
};

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
