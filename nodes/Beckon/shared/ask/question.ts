import type { INodeProperties } from 'n8n-workflow';

import { shownFor } from '../shown-for';
import { choiceFields } from './choices';

/** What n8n itself calls the operation by which a node waits for a person. */
export const SEND_AND_WAIT = 'sendAndWait';

export const showOnlyForAsking = {
	resource: ['pushNotification', 'liveActivity'],
	operation: [SEND_AND_WAIT],
};

/** What is asked, and what can be answered; the same wherever it is shown. */
export const questionFields: INodeProperties[] = shownFor(showOnlyForAsking, [
	{
		displayName: 'Title',
		name: 'title',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Deploy to production?',
		description: 'The question, up to 255 characters',
	},
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Version 1.4 passed all tests',
		description: 'What the person needs to know to decide',
	},
	...choiceFields,
]);
