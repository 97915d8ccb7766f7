import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { MAX_TITLE } from '../../../shared/fields/bounds';
import { SEND_AND_WAIT } from '../ask/question';
import { shownFor } from '../field';
import { activityTypeFields } from './activity-type-fields';
import { CONTENT_OPERATIONS } from './activity-types';
import {
	additionalContentField,
	mainContentFields,
	messageField,
	titleField,
} from './content-fields';

const resource = ['liveActivity', 'liveActivityManual'];

/** A question needs attention now: without its own alert, it makes the phone sound with its title. */
const sendAlertOfQuestion = fillsBody('alert', (read) =>
	read.has('options.alertTitle') || read.has('options.alertBody')
		? undefined
		: { title: read.text('content_state.title', 'title') },
);

/** A question uses the type alert, which needs a message. */
const questionFields: INodeProperties[] = [
	{
		...titleField,
		required: true,
		placeholder: 'e.g. Deploy to production?',
		description: `The question, up to ${MAX_TITLE} characters`,
		routing: { send: { ...titleField.routing?.send, preSend: [sendAlertOfQuestion] } },
	},
	{
		...messageField,
		required: true,
		placeholder: 'e.g. Version 1.4 passed all tests',
		description: 'What the person needs to know to decide',
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

export const additionalContentFields = shownFor(
	{ resource, operation: [...CONTENT_OPERATIONS, SEND_AND_WAIT] },
	[additionalContentField],
);
