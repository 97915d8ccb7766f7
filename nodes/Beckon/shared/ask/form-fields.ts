import type { INodeProperties } from 'n8n-workflow';

import { isOwnRun } from '../../../../src/n8n/run';
import { isExpression } from '../../../shared/declared/expressions';
import { fillsBody } from '../../../shared/declared/hooks';
import { buttonTitle } from '../../../shared/fields/bounds';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { noLonger } from '../../../shared/fields/rules';
import { choice, field, group, rowsOf, sendsBy, shownIf, toggle } from '../field';
import { createResumeUrl } from './round';

/**
 * The response type that is answered on the node's own page. While a node waits for `customForm`, n8n 2 refuses every
 * POST except a form's, and thus the server's callback.
 */
export const CUSTOM_FORM = 'form';

/** Characters of a text or of a choice. */
export const MAX_TEXT_LENGTH = 4000;

const MAX_FIELDS = 20;

const RESPONDERS = 'options.answerableBy';

/** Properties of the output beside the fields, which are named by their labels. */
const OF_OUTPUT = ['status', 'responder', 'respondedAt'];

/** Types with choices to pick from. */
const WITH_CHOICES = ['checkbox', 'dropdown', 'radio'];

const FIELD_TYPES = {
	checkbox: 'Checkboxes',
	date: 'Date',
	dropdown: 'Dropdown',
	email: 'Email',
	number: 'Number',
	radio: 'Radio Buttons',
	text: 'Text',
	textarea: 'Textarea',
};

/** A field of the page. */
export type FormField = ReturnType<typeof readField>;

/** What the page of a question shows. */
export type Form = NonNullable<ReturnType<typeof readForm>>;

const shownForTypes = (...fieldType: string[]) => shownIf({ fieldType });

/** The fields of one form element, in the order they are filled in. */
const elementFields: INodeProperties[] = [
	field('Label', 'fieldLabel', {
		description: 'The text above the field, and its name in the output',
		placeholder: 'e.g. How many?',
	}),
	field('Element Type', 'fieldType', {
		description: 'What can be entered',
		...choice('text', FIELD_TYPES),
	}),
	field('Placeholder', 'placeholder', {
		description: 'A sample that is shown while the field is empty',
		...shownForTypes('email', 'number', 'text', 'textarea'),
	}),
	field('Choices', 'fieldOptions', {
		description: 'What a person can pick from',
		...rowsOf(
			group('Choice', 'values', [
				field('Choice', 'option', {
					description: 'The text of the choice, also its value in the output',
				}),
			]),
		),
		...shownForTypes(...WITH_CHOICES),
	}),
	field('Default Value', 'defaultValue', {
		description: 'What is filled in at first; the person can change it',
		...shownForTypes('date', 'dropdown', 'email', 'number', 'radio', 'text', 'textarea'),
	}),
	field('Required Field', 'requiredField', {
		description: 'Whether to require a value before the form is sent',
		...toggle(false),
	}),
];

/** One button, which opens the page. */
const sendLink = fillsBody('link', (read, context) => {
	readForm(read);
	if (!isOwnRun(context)) {
		read.broken(
			'responseType',
			'must not be Custom Form as a tool of an AI Agent before version 3',
		);
	}
	// If an expression chooses the type, the panel shows the option anyway.
	if (isExpression(context.getNode().parameters['responseType']) && read.has(RESPONDERS)) {
		read.broken('answerableBy', 'cannot be combined with Custom Form, which anybody can answer');
	}
	const title = read.text('messageButtonLabel', 'options.messageButtonLabel', buttonTitle);
	return { title: title ?? 'Respond', url: createResumeUrl(context, { form: '1' }) };
});

/** Named as in n8n's own send-and-wait nodes. */
export const formElementsField = field('Form Elements', 'formFields', {
	description: 'The fields of the page. The output has their values by label.',
	...rowsOf(group('Form Element', 'values', elementFields), {
		minRequiredFields: 1,
		maxAllowedFields: MAX_FIELDS,
	}),
	...shownIf({ responseType: [CUSTOM_FORM] }),
	...sendsBy(sendLink),
});

const onlyForForms = shownIf({ '/responseType': [CUSTOM_FORM] });

/** For the options: the words on the two buttons that lead to an answer. */
export const formLabelFields: INodeProperties[] = [
	field('Button Label', 'messageButtonLabel', {
		description: 'The button that opens the page, up to 64 characters',
		default: 'Respond',
		...onlyForForms,
	}),
	field('Submit Label', 'responseFormButtonLabel', {
		description: "The page's button that sends the answer",
		default: 'Submit',
		...onlyForForms,
	}),
];

/** @returns undefined if the question is answered on the phone */
export function readForm(read: FieldReader) {
	if (read.text('responseType', 'responseType') !== CUSTOM_FORM) return undefined;
	const fields = read.rows('formFields', 'formFields.values').map(readField);
	if (fields.length === 0) read.broken('formFields', 'must have at least one field');
	if (fields.some(({ label }) => OF_OUTPUT.includes(label))) {
		read.broken('formFields', `must not be labeled ${OF_OUTPUT.join(', ')}: the output has these`);
	}
	if (new Set(fields.map(({ label }) => label)).size < fields.length) {
		read.broken('formFields', 'must not repeat a label');
	}
	const submitLabel = read.text('responseFormButtonLabel', 'options.responseFormButtonLabel');
	return {
		title: read.text('title', 'title') ?? '',
		message: read.text('message', 'message') ?? '',
		fields,
		submitLabel: submitLabel ?? 'Submit',
	};
}

function readField(row: FieldReader) {
	const type = row.choice('fieldType', 'fieldType', Object.keys(FIELD_TYPES));
	const text = (parameter: string) => row.text(parameter, parameter, notTooLong);
	return {
		label: row.required('fieldLabel', text('fieldLabel')) ?? '',
		type: type ?? 'text',
		isRequired: row.flag('requiredField', 'requiredField') ?? false,
		placeholder: text('placeholder') ?? '',
		/** The value that is filled in at first. */
		initial: text('defaultValue') ?? '',
		choices: WITH_CHOICES.includes(type ?? '') ? readFieldChoices(row) : [],
	};
}

function readFieldChoices(row: FieldReader): string[] {
	const choices = row
		.rows('fieldOptions', 'fieldOptions.values')
		.map((one) => one.required('option', one.text('option', 'option', notTooLong)) ?? '');
	if (choices.length === 0) row.broken('fieldOptions', 'must have at least one choice');
	if (new Set(choices).size < choices.length) {
		row.broken('fieldOptions', 'must not repeat a choice');
	}
	return choices;
}

const notTooLong = noLonger(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters long`);
