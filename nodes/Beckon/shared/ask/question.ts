import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { successOnly, withDetails } from '../../../shared/declared/received';
import {
	afterMinutesBounds,
	MAX_MESSAGE,
	MAX_TITLE,
	placeholderText,
	remindMinutesBounds,
} from '../../../shared/fields/bounds';
import { compact } from '../../../shared/fields/compact';
import { within } from '../../../shared/fields/rules';
import {
	choice,
	field,
	group,
	numeric,
	oneRow,
	sendsBy,
	shownFor,
	shownIf,
	toggle,
} from '../field';
import { includeDetails } from '../options';
import { channelRules, channelsField } from '../recipients';
import { repeatingField } from '../repeating';
import { createResumeUrl } from './round';
import { APPROVAL, choiceFields, CHOICES } from './choices';
import { CUSTOM_FORM, formElementsField, formLabelFields } from './form-fields';
import { FREE_TEXT, howToWaitField, keepsRunning, ON_THE_PHONE } from './how-to-wait';
import { deadlineFields } from './limit-wait';
import { showsToolInput } from './review-message';

/** n8n's own name for the operation in which a node waits for a person. */
export const SEND_AND_WAIT = 'sendAndWait';

/** Handles the response to a question that was asked. */
export const asked = [successOnly(), withDetails];

/** The words of a question. */
const questionTextFields: INodeProperties[] = [
	field('Title', 'title', {
		description: `The question, up to ${MAX_TITLE} characters`,
		required: true,
		placeholder: 'e.g. Deploy to production?',
		routing: { send: { type: 'body', property: 'title', preSend: [showsToolInput('title')] } },
	}),
	field('Message', 'message', {
		description: `What people need to know to answer, up to ${MAX_MESSAGE} characters`,
		typeOptions: { rows: 4 },
		placeholder: 'e.g. Version 1.4 passed all tests',
		routing: { send: { type: 'body', property: 'message', preSend: [showsToolInput('message')] } },
	}),
];

const sendCallback = fillsBody('callback', (read, context) => {
	read.choice('responseType', 'responseType', [...ON_THE_PHONE, CUSTOM_FORM]);
	return keepsRunning(read, context) ? undefined : { url: createResumeUrl(context) };
});

const sendText = fillsBody('text', (read) =>
	compact({
		placeholder: read.text('placeholder', 'placeholder', placeholderText),
		multiline: read.flag('multiline', 'multiline'),
	}),
);

/** What is asked and the possible answers, the same wherever the question is asked. */
export const questionFields: INodeProperties[] = [
	...shownFor({ resource: ['pushNotification', 'liveActivity'], operation: [SEND_AND_WAIT] }, [
		...questionTextFields,
		field('Response Type', 'responseType', {
			description: 'How to answer',
			...choice(APPROVAL, {
				[APPROVAL]: ['Approval', 'A button to approve, and one to decline'],
				[CHOICES]: ['Custom Choices', 'A button for each of your choices'],
				[CUSTOM_FORM]: ['Custom Form', 'A page with fields of your own'],
				[FREE_TEXT]: ['Free Text', 'A text, written on the phone'],
			}),
			...sendsBy(sendCallback),
		}),
		...choiceFields,
		field('Placeholder', 'placeholder', {
			description: 'A sample that is shown while the field for the text is empty',
			placeholder: 'e.g. Your reply',
			...shownIf({ responseType: [FREE_TEXT] }),
			...sendsBy(sendText),
		}),
		field('Multiple Lines', 'multiline', {
			description: 'Whether the text may have several lines',
			...toggle(false),
			...shownIf({ responseType: [FREE_TEXT] }),
		}),
		formElementsField,
	]),
];

const escalateFields = [
	field('After (Minutes)', 'afterMinutes', {
		description: 'Minutes without an answer',
		...numeric(afterMinutesBounds, 30),
	}),
	channelsField,
];

const sendEscalation = fillsBody('escalate', (read) => {
	const row = read.row('escalate', 'options.escalate.values');
	if (!row) return undefined;
	const minutes = row.wholeNumber('after_minutes', 'afterMinutes', within(afterMinutesBounds));
	row.required('after_minutes', minutes);
	const channels = row.required('channels', row.list('channels', 'channels', channelRules));
	return { after_minutes: minutes, target: { channels } };
});

/** An expression that names nobody must not let everybody answer. */
const sendPeople = fillsBody('answerable_by', (read) =>
	read.required(
		'answerable_by',
		read.list('answerable_by', 'options.answerableBy', {}),
		'must name at least one person: choose somebody, correct the expression, or remove the option',
	),
);

/** For the options: what happens until somebody answers, and who may answer. */
export const askingFields: INodeProperties[] = [
	...deadlineFields,
	repeatingField(
		'Remind',
		'remind',
		remindMinutesBounds,
		'Deliver it again until it is answered or its Limit Wait Time is over',
	),
	field('Escalate', 'escalate', {
		description: 'Also ask more phones if nobody has answered for a while',
		...oneRow(
			{ values: { afterMinutes: 30, channels: [] } },
			group('Values', 'values', escalateFields),
		),
		...sendsBy(sendEscalation),
	}),
	field('Responder Names or IDs', 'answerableBy', {
		description:
			'Only they may answer; others see it. Their names are their IDs. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getPeople' },
		default: [],
		...shownIf({ '/responseType': ON_THE_PHONE }),
		...sendsBy(sendPeople),
	}),
	howToWaitField,
	...formLabelFields,
	includeDetails,
];
