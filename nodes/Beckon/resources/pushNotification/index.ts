import type { INodeProperties } from 'n8n-workflow';

import { successOnly, withDetails } from '../../../shared/declared/received';
import { MAX_MESSAGE, MAX_TITLE } from '../../../shared/fields/bounds';
import { asked, askingFields, SEND_AND_WAIT } from '../../shared/ask/question';
import { pushButtonsField } from '../../shared/buttons';
import { calls, field, operationField, sends, shownFor } from '../../shared/field';
import { includeDetails, optionsField, parallelRequests } from '../../shared/options';
import { recipientFields } from '../../shared/recipients';
import { imageField } from './picture';
import {
	dataOptions,
	expiresField,
	lookOptions,
	mediaField,
	questionLookOptions,
	replacesField,
} from './push-options';
import { repeatField, repeatIdField } from './repeat';

const resource = 'pushNotification';

const STOP_REPEATING = 'stopRepeating';

const textFields: INodeProperties[] = [
	field('Title', 'title', {
		description: `The first line of the notification, up to ${MAX_TITLE} characters`,
		required: true,
		placeholder: 'e.g. New order',
		...sends('title'),
	}),
	field('Message', 'message', {
		description: `The text of the notification, up to ${MAX_MESSAGE} characters`,
		typeOptions: { rows: 4 },
		placeholder: 'e.g. 3 books for $42',
		...sends('message'),
	}),
];

export const fields: INodeProperties[] = [
	operationField(resource, 'send', [
		{
			name: 'Send',
			value: 'send',
			action: 'Send push notification',
			description: 'Send a notification to the lock screen',
			routing: calls('POST', '/push-notification', [successOnly(), withDetails]),
		},
		{
			name: 'Send and Wait for Response',
			value: SEND_AND_WAIT,
			action: 'Send push notification and wait for response',
			description: 'Ask a question on the lock screen, and wait for the answer',
			routing: calls('POST', '/questions', asked),
		},
		{
			name: 'Stop Repeating',
			value: STOP_REPEATING,
			action: 'Stop repeating push notification',
			description: 'Cancel the remaining repeats of a notification',
			routing: calls('DELETE', '/push-notification/repeated/{repeat_id}', [
				successOnly('Use the repeat_id output by the Send operation.'),
			]),
		},
	]),
	...shownFor({ resource: [resource], operation: [STOP_REPEATING] }, [repeatIdField]),
	...recipientFields(resource, ['send', SEND_AND_WAIT]),
	...shownFor({ resource: [resource], operation: ['send'] }, [...textFields, pushButtonsField]),
];

export const options = [
	optionsField(
		resource,
		['send'],
		[
			...lookOptions,
			mediaField,
			imageField,
			repeatField,
			replacesField,
			expiresField,
			...dataOptions,
			includeDetails,
			parallelRequests,
		],
	),
	optionsField(resource, [STOP_REPEATING], [parallelRequests]),
	optionsField(resource, [SEND_AND_WAIT], [...askingFields, ...questionLookOptions]),
];
