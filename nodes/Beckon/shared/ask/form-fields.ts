import type { INodeProperties } from 'n8n-workflow';

import { buttonTitle } from '../../../shared/fields/bounds';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { oneOf } from '../../../shared/fields/rules';
import { choice, field, group, rowsOf, shownIf, toggle } from '../field';

export const FREE_TEXT = 'freeText';
export const CUSTOM_FORM = 'customForm';

/** Response types that are answered on the node's own page. */
export const FORM_TYPES = [FREE_TEXT, CUSTOM_FORM];

/** Characters of a text or of a choice. */
export const MAX_TEXT_LENGTH = 4000;

const MAX_FIELDS = 20;

/** Types with choices to pick from. */
const WITH_CHOICES = ['checkbox', 'dropdown', 'radio'];

const FIELD_TYPES = [
	{ name: 'Checkboxes', value: 'checkbox' },
	{ name: 'Date', value: 'date' },
	{ name: 'Dropdown', value: 'dropdown' },
	{ name: 'Email', value: 'email' },
	{ name: 'Number', value: 'number' },
	{ name: 'Radio Buttons', value: 'radio' },
	{ name: 'Text', value: 'text' },
	{ name: 'Textarea', value: 'textarea' },
];

/** A field of the page. */
export interface FormField {
	label: string;
	type: string;
	isRequired: boolean;
	placeholder: string;
	/** The initial value. */
	initial: string;
	choices: string[];
}

/** The form that a question shows on its page. */
export interface Form {
	/** `text`: the answer is one text, not an object of fields. */
	kind: 'text' | 'fields';
	fields: FormField[];
	submitLabel: string;
	/**
	 * The page's form carries it, so an answer can come only from the opened page. It adds no
	 * secrecy to the URL, which is signed and shows the page to all who have it.
	 */
	token: string;
}

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
		...rowsOf([
			group('Choice', 'values', [
				field('Choice', 'option', {
					description: 'The text of the choice, also its value in the output',
				}),
			]),
		]),
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

/** Named as in n8n's own send-and-wait nodes. */
export const formFields: INodeProperties[] = [
	field('Default Text', 'defaultText', {
		description: 'A text that the person finds on the page and can edit',
		typeOptions: { rows: 3 },
		placeholder: 'e.g. {{ $json.draft }}',
		...shownIf({ responseType: [FREE_TEXT] }),
	}),
	field('Form Elements', 'formFields', {
		description: 'The fields of the page. The output has their values by label.',
		...rowsOf([group('Form Element', 'values', elementFields)], { maxAllowedFields: MAX_FIELDS }),
		...shownIf({ responseType: [CUSTOM_FORM] }),
	}),
];

const onlyForForms = shownIf({ '/responseType': FORM_TYPES });

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

/** The text on the button that opens the page. */
export function readOpenLabel(read: FieldReader): string {
	return read.text('messageButtonLabel', 'options.messageButtonLabel', buttonTitle) ?? 'Respond';
}

/** @returns undefined if the question is answered by its buttons */
export function readForm(read: FieldReader, token: string): Form | undefined {
	const type = read.text('responseType', 'responseType');
	if (type === undefined || !FORM_TYPES.includes(type)) return undefined;
	const submitLabel =
		read.text('responseFormButtonLabel', 'options.responseFormButtonLabel') ?? 'Submit';
	return type === FREE_TEXT
		? { kind: 'text', fields: [readFreeText(read)], submitLabel, token }
		: { kind: 'fields', fields: readFields(read), submitLabel, token };
}

function readFreeText(read: FieldReader): FormField {
	const initial = read.text('defaultText', 'defaultText', notTooLong) ?? '';
	return {
		label: 'Response',
		type: 'textarea',
		isRequired: true,
		placeholder: '',
		initial,
		choices: [],
	};
}

function readFields(read: FieldReader): FormField[] {
	const fields = read.rows('formFields', 'formFields.values').map(readField);
	if (fields.length === 0) read.broken('formFields', 'must have at least one field');
	const labels = new Set(fields.map(({ label }) => label));
	if (labels.size < fields.length) read.broken('formFields', 'must not repeat a label');
	return fields;
}

function readField(row: FieldReader): FormField {
	const types = FIELD_TYPES.map(({ value }) => value);
	const type = row.text('fieldType', 'fieldType', oneOf(types)) ?? 'text';
	const choices = WITH_CHOICES.includes(type) ? readFieldChoices(row) : [];
	return {
		label: row.required('fieldLabel', row.text('fieldLabel', 'fieldLabel', notTooLong)) ?? '',
		type,
		isRequired: row.flag('requiredField', 'requiredField') ?? false,
		placeholder: row.text('placeholder', 'placeholder', notTooLong) ?? '',
		initial: row.text('defaultValue', 'defaultValue', notTooLong) ?? '',
		choices,
	};
}

function readFieldChoices(row: FieldReader): string[] {
	const choices = row
		.rows('fieldOptions', 'fieldOptions.values')
		.map((choice) => choice.required('option', choice.text('option', 'option', notTooLong)) ?? '');
	if (choices.length === 0) row.broken('fieldOptions', 'must have at least one choice');
	if (new Set(choices).size < choices.length) {
		row.broken('fieldOptions', 'must not repeat a choice');
	}
	return choices;
}

const notTooLong = (text: string) =>
	text.length > MAX_TEXT_LENGTH ? `must be at most ${MAX_TEXT_LENGTH} characters long` : undefined;
