import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../shared/declared/hooks';
import { SEND_AND_WAIT } from './ask/question';
import { leftEmptyLater } from './live-activity/left-empty';

const onlyFor = (...operation: string[]): INodeProperties['displayOptions'] => ({
	show: { operation },
});

const title: Pick<INodeProperties, 'displayName' | 'name' | 'type' | 'default'> = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
};

const message: Pick<INodeProperties, 'displayName' | 'name' | 'type' | 'typeOptions' | 'default'> =
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
	};

const questionTitle = {
	...title,
	required: true,
	placeholder: 'e.g. Deploy to production?',
	description: 'The question, up to 255 characters',
};

const questionMessage = {
	...message,
	placeholder: 'e.g. Version 1.4 passed all tests',
	description: 'What the person needs to know to decide',
};

const questionOn = (resource: string): INodeProperties['displayOptions'] => ({
	show: { operation: [SEND_AND_WAIT], resource: [resource] },
});

/** A question needs attention now: without its own alert, it makes the phone sound with its title. */
const sendAlertOfQuestion = fillsBody('alert', (read) =>
	read.has('options.alertTitle') || read.has('options.alertBody')
		? undefined
		: { title: read.text('content_state.title', 'title') },
);

/**
 * The texts read first: the title of everything sent, and the message of a push or a question. A Live
 * Activity has its own message field if its type has room for one.
 */
export const textFields: INodeProperties[] = [
	{
		...title,
		required: true,
		placeholder: 'e.g. New order',
		displayOptions: onlyFor('send'),
		description: 'The first line of the notification, up to 255 characters',
		routing: { send: { type: 'body', property: 'title' } },
	},
	{
		...questionTitle,
		displayOptions: questionOn('pushNotification'),
		routing: { send: { type: 'body', property: 'title' } },
	},
	{
		...questionTitle,
		displayOptions: questionOn('liveActivity'),
		routing: {
			send: { type: 'body', property: 'content_state.title', preSend: [sendAlertOfQuestion] },
		},
	},
	...leftEmptyLater(
		{
			...title,
			placeholder: 'e.g. Deploying to production',
			description: 'The first line of the Live Activity',
			routing: { send: { type: 'body', property: 'content_state.title' } },
		},
		{ isRequired: true },
	),
	{
		...message,
		placeholder: 'e.g. 3 books for 42 €',
		displayOptions: onlyFor('send'),
		description: 'The text of the notification, up to 4,000 characters',
		routing: { send: { type: 'body', property: 'message' } },
	},
	{
		...questionMessage,
		displayOptions: questionOn('pushNotification'),
		routing: { send: { type: 'body', property: 'message' } },
	},
	{
		// A question uses the type alert, which needs a message.
		...questionMessage,
		required: true,
		displayOptions: questionOn('liveActivity'),
		routing: { send: { type: 'body', property: 'content_state.message' } },
	},
];
