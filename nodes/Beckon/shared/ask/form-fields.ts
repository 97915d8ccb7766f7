import type { INodeProperties } from 'n8n-workflow';

import { buttonTitle } from '../../../shared/fields/bounds';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { oneOf } from '../../../shared/fields/rules';

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

/** The fields of one form element, in the order they are filled in. */
const elementFields: INodeProperties[] = [
	{
		displayName: 'Label',
		name: 'fieldLabel',
		type: 'string',
		default: '',
		placeholder: 'e.g. How many?',
		description: 'The text above the field, and its name in the output',
	},
	{
		displayName: 'Element Type',
		name: 'fieldType',
		type: 'options',
		default: 'text',
		options: FIELD_TYPES,
		description: 'What can be entered',
	},
	{
		displayName: 'Placeholder',
		name: 'placeholder',
		type: 'string',
		default: '',
		displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
		description: 'A sample that is shown while the field is empty',
	},
	{
		displayName: 'Choices',
		name: 'fieldOptions',
		type: 'fixedCollection',
		placeholder: 'Add Choice',
		typeOptions: { multipleValues: true, sortable: true },
		default: {},
		displayOptions: { show: { fieldType: WITH_CHOICES } },
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Choice',
						name: 'option',
						type: 'string',
						default: '',
						description: 'The text of the choice, which is also its value in the output',
					},
				],
			},
		],
		description: 'What a person can pick from',
	},
	{
		displayName: 'Default Value',
		name: 'defaultValue',
		type: 'string',
		default: '',
		displayOptions: {
			show: {
				fieldType: ['date', 'dropdown', 'email', 'number', 'radio', 'text', 'textarea'],
			},
		},
		description: 'What is filled in at first; the person can change it',
	},
	{
		displayName: 'Required Field',
		name: 'requiredField',
		type: 'boolean',
		default: false,
		description: 'Whether the form cannot be sent without it',
	},
];

/** Named as in n8n's own send-and-wait nodes. */
export const formFields: INodeProperties[] = [
	{
		displayName: 'Default Text',
		name: 'defaultText',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. {{ $json.draft }}',
		displayOptions: { show: { responseType: [FREE_TEXT] } },
		description: 'A text that the person finds on the page and can edit before sending it',
	},
	{
		displayName: 'Form Elements',
		name: 'formFields',
		type: 'fixedCollection',
		placeholder: 'Add Form Element',
		typeOptions: { multipleValues: true, sortable: true },
		default: {},
		displayOptions: { show: { responseType: [CUSTOM_FORM] } },
		options: [
			{
				displayName: 'Form Element',
				name: 'values',
				values: elementFields,
			},
		],
		description: 'Up to 20 fields of the page. The workflow gets their values by their labels.',
	},
];

/** For the options: the words on the two buttons that lead to an answer. */
export const formLabelFields: INodeProperties[] = [
	{
		displayName: 'Button Label',
		name: 'messageButtonLabel',
		type: 'string',
		default: 'Respond',
		displayOptions: { show: { '/responseType': FORM_TYPES } },
		description: 'The text on the button that opens the page, up to 64 characters',
	},
	{
		displayName: 'Submit Label',
		name: 'responseFormButtonLabel',
		type: 'string',
		default: 'Submit',
		displayOptions: { show: { '/responseType': FORM_TYPES } },
		description: "The text on the page's button that sends the answer",
	},
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
	if (fields.length > MAX_FIELDS) {
		read.broken('formFields', `must have at most ${MAX_FIELDS} fields`);
	}
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
