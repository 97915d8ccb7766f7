import type { IDataObject } from 'n8n-workflow';

import { MAX_TEXT_LENGTH, type Form, type FormField } from './form-fields';

/** The values that a browser sends for a field: several for several checked boxes. */
type Sent = string[];

/** The name of a field in the page's form. */
export const fieldName = (index: number) => `field-${index}`;

/**
 * The name of the page's token, the id of its question: an answer can come only from the opened page. It adds no
 * secrecy to the URL, which is signed and shows the page to anyone who has it.
 */
export const TOKEN = 'token';

/** An answer that needs to be corrected: the values sent, to be shown again, and the problem of each field. */
export interface Incorrect {
	sent: Sent[];
	problems: Array<string | undefined>;
}

function sentFor(body: IDataObject, index: number): Sent {
	const value = body[fieldName(index)];
	const values: unknown[] = Array.isArray(value) ? value : [value];
	const texts = values.filter((entry) => typeof entry === 'string');
	// Browsers send line breaks as CRLF.
	return texts.map((entry) => entry.replaceAll('\r\n', '\n'));
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

function problemWith(field: FormField, sent: Sent): string | undefined {
	const { type, choices, isRequired } = field;
	const given = sent.filter((text) => text.trim() !== '');
	if (given.length === 0) return isRequired ? 'Please fill in this field.' : undefined;
	if (given.some((text) => text.length > MAX_TEXT_LENGTH)) {
		return `Please write at most ${MAX_TEXT_LENGTH.toLocaleString('en')} characters.`;
	}
	if (choices.length > 0 && !given.every((text) => choices.includes(text))) {
		return 'Please choose from the list.';
	}
	if (type !== 'checkbox' && given.length > 1) return 'Please give one answer.';
	const [text = ''] = given;
	if (type === 'number' && !isNumber(text)) return 'Please enter a number.';
	if (type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text)) return 'Please enter a date.';
	if (type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Please enter an email address.';
	return undefined;
}

/** A field's value in the output, as n8n's own forms give it; null if it was left empty. */
function toValue({ type }: FormField, sent: Sent): IDataObject[string] {
	const given = sent.filter((text) => text.trim() !== '');
	if (type === 'checkbox') return given;
	const [text] = given;
	if (text === undefined) return null;
	if (type === 'number') return Number(text);
	return type === 'textarea' ? text : text.trim();
}

/** The answer in a posted form: its values by their labels. */
export function answerIn({ fields }: Form, body: IDataObject): { values: IDataObject } | Incorrect {
	const sent = fields.map((_field, index) => sentFor(body, index));
	const problems = fields.map((field, index) => problemWith(field, sent[index] ?? []));
	if (problems.some((problem) => problem !== undefined)) return { sent, problems };
	const values = fields.map((field, index) => [field.label, toValue(field, sent[index] ?? [])]);
	return { values: Object.fromEntries(values) as IDataObject };
}
