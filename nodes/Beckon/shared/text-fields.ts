import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from './ask/question';

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

const questionMessage = {
	...message,
	placeholder: 'e.g. Version 1.4 passed all tests',
	description: 'What the person needs to know to decide',
};

const questionOn = (resource: string): INodeProperties['displayOptions'] => ({
	show: { operation: [SEND_AND_WAIT], resource: [resource] },
});

/**
 * What is read first: the title of whatever is sent, and the message of a push or a question. Live
 * Activities have a message of their own where their type has room for it.
 */
export const textFields: INodeProperties[] = [
	{
		...title,
		required: true,
		placeholder: 'e.g. New order',
		displayOptions: onlyFor('send'),
		description: 'The first line of the notification, up to 255 characters',
	},
	{
		...title,
		required: true,
		placeholder: 'e.g. Deploy to production?',
		displayOptions: onlyFor(SEND_AND_WAIT),
		description: 'The question, up to 255 characters',
	},
	{
		...title,
		required: true,
		placeholder: 'e.g. Deploying to production',
		displayOptions: onlyFor('start'),
		description: 'The first line of the Live Activity',
	},
	{
		...title,
		placeholder: 'e.g. Deploying to production',
		displayOptions: onlyFor('upsert', 'update', 'end'),
		description:
			'The first line of the Live Activity. Needed when it starts; later, leave empty to keep it.',
	},
	{
		...message,
		placeholder: 'e.g. 3 books for 42 €',
		displayOptions: onlyFor('send'),
		description: 'The text of the notification, up to 4,000 characters',
	},
	{ ...questionMessage, displayOptions: questionOn('pushNotification') },
	// It asks with the type alert, which is nothing without a message.
	{ ...questionMessage, required: true, displayOptions: questionOn('liveActivity') },
];
