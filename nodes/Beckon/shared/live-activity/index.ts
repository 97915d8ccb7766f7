import type { INodeProperties } from 'n8n-workflow';

import { MAX_TITLE } from '../../../shared/fields/bounds';
import { SEND_AND_WAIT } from '../ask/question';
import { sends, shownFor } from '../field';
import { activityTypeFields } from './activity-type-fields';
import { CONTENT_OPERATIONS } from './activity-types';
import {
	additionalContentField,
	mainContentFields,
	messageField,
	titleField,
} from './content-fields';

const resource = ['liveActivity', 'liveActivityManual'];

/** A question has a title and a message, which a Live Activity needs. */
const questionFields: INodeProperties[] = [
	{
		...titleField,
		required: true,
		placeholder: 'e.g. Deploy to production?',
		description: `The question, up to ${MAX_TITLE} characters`,
		...sends('title'),
	},
	{
		...messageField,
		required: true,
		placeholder: 'e.g. Version 1.4 passed all tests',
		description: 'What the person needs to know to decide',
		...sends('message'),
	},
];

/** The content that is read first: the type, the title and what the type shows. */
export const liveActivityContentFields: INodeProperties[] = [
	...shownFor({ resource, operation: CONTENT_OPERATIONS }, [
		...activityTypeFields,
		titleField,
		...mainContentFields,
	]),
	...shownFor({ resource, operation: [SEND_AND_WAIT] }, questionFields),
];

export const additionalContentFields = shownFor({ resource, operation: CONTENT_OPERATIONS }, [
	additionalContentField,
]);
