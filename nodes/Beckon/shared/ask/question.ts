import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { sendsBy, shownFor } from '../field';
import { choiceFields, readChoices, responseTypeField } from './choices';
import { formFields, readForm, readOpenLabel } from './form-fields';
import { createResumeUrl } from './resume-url';

/** n8n's own name for the operation in which a node waits for a person. */
export const SEND_AND_WAIT = 'sendAndWait';

/** A Live Activity has room for two buttons. */
const MAX_ON_AN_ACTIVITY = 2;

/**
 * One button per choice. All call the same URL; the body names the choice. A form has one button, which
 * opens its page.
 */
function createButtons(
	read: FieldReader,
	context: IExecuteSingleFunctions,
	most?: number,
): object[] {
	const url = createResumeUrl(context);
	if (readForm(read, '')) return [{ title: readOpenLabel(read), type: 'open_url', url }];
	return readChoices(read, most).map(({ label }) => ({
		title: label,
		type: 'webhook',
		url,
		method: 'POST',
		body: { choice: label },
	}));
}

const sendsChoice = (property: string, index: number) =>
	fillsBody(property, (read, context) => createButtons(read, context, MAX_ON_AN_ACTIVITY)[index]);

const askingOn = (resource: string) => ({ resource: [resource], operation: [SEND_AND_WAIT] });

/**
 * Fields for the possible answers, below the title and the message; the same wherever the question is
 * asked.
 */
export const questionFields: INodeProperties[] = [
	...shownFor(askingOn('pushNotification'), [
		{ ...responseTypeField, ...sendsBy(fillsBody('actions', createButtons)) },
	]),
	...shownFor(askingOn('liveActivity'), [
		{
			...responseTypeField,
			...sendsBy(sendsChoice('action', 0), sendsChoice('secondary_action', 1)),
		},
	]),
	...shownFor({ resource: ['pushNotification', 'liveActivity'], operation: [SEND_AND_WAIT] }, [
		...choiceFields,
		...formFields,
	]),
];
