import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { shownFor } from '../shown-for';
import { choiceFields, choicesOf, responseTypeField } from './choices';
import { formFields, formOf, openLabelOf } from './form-fields';
import { resumeUrlOf } from './resume-url';

/** n8n's own name for the operation in which a node waits for a person. */
export const SEND_AND_WAIT = 'sendAndWait';

/** A Live Activity has room for two buttons. */
const MAX_ON_AN_ACTIVITY = 2;

/**
 * One button per choice. All call the same URL; the body names the choice. A form has one button, which
 * opens its page.
 */
function buttonsOf(read: FieldReader, context: IExecuteSingleFunctions, most?: number): object[] {
	const url = resumeUrlOf(context);
	if (formOf(read, '')) return [{ title: openLabelOf(read), type: 'open_url', url }];
	return choicesOf(read, most).map(({ label }) => ({
		title: label,
		type: 'webhook',
		url,
		method: 'POST',
		body: { choice: label },
	}));
}

const sendChoices = fillsBody('actions', buttonsOf);

const sendFirstChoice = fillsBody(
	'action',
	(read, context) => buttonsOf(read, context, MAX_ON_AN_ACTIVITY)[0],
);

const sendSecondChoice = fillsBody(
	'secondary_action',
	(read, context) => buttonsOf(read, context, MAX_ON_AN_ACTIVITY)[1],
);

const askingOn = (resource: string) => ({ resource: [resource], operation: [SEND_AND_WAIT] });

/**
 * Fields for the possible answers, below the title and the message; the same wherever the question is
 * asked.
 */
export const questionFields: INodeProperties[] = [
	...shownFor(askingOn('pushNotification'), [
		{ ...responseTypeField, routing: { send: { preSend: [sendChoices] } } },
	]),
	...shownFor(askingOn('liveActivity'), [
		{ ...responseTypeField, routing: { send: { preSend: [sendFirstChoice, sendSecondChoice] } } },
	]),
	...shownFor({ resource: ['pushNotification', 'liveActivity'], operation: [SEND_AND_WAIT] }, [
		...choiceFields,
		...formFields,
	]),
];
