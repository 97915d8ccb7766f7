import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from './ask/question';

const title: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Deploy to production',
};

/** The first line of whatever is shown; an activity that goes on keeps the one it has. */
export const titleFields: INodeProperties[] = [
	{
		...title,
		required: true,
		displayOptions: { show: { operation: ['send', SEND_AND_WAIT, 'start'] } },
		description: 'What happens, or what is asked: the first line, up to 255 characters',
	},
	{
		...title,
		displayOptions: { show: { operation: ['upsert', 'update', 'end'] } },
		description:
			'The first line of the Live Activity. Needed when it starts; later, leave empty to keep it.',
	},
];

/** The text under the title; Live Activities have one of their own, where their type has room for it. */
export const messageField: INodeProperties = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Version 1.4 passed all tests',
	displayOptions: { show: { operation: ['send', SEND_AND_WAIT] } },
	description: 'What one needs to know beside the title, up to 4,000 characters',
};
