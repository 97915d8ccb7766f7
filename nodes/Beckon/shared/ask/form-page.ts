import { fieldName, TOKEN, type Incorrect } from './form-answer';
import { MAX_TEXT_LENGTH, type Form, type FormField } from './form-fields';
import { escaped, page } from './page';

type Attributes = Record<string, string | number | boolean>;

/** An element, without the attributes that are false or empty. @param content HTML; undefined: it has no end tag */
function element(name: string, attributes: Attributes, content?: string): string {
	const words = Object.entries(attributes)
		.filter(([, value]) => value !== false && value !== '')
		.map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escaped(String(value))}"`));
	return `<${name}${words.join('')}>${content === undefined ? '' : `${content}</${name}>`}`;
}

/**
 * The page on which a question is answered.
 * @param token its form carries it
 * @param filled an answer that needs to be corrected
 */
export function formPage(
	{ title, message, fields, submitLabel }: Form,
	token: string,
	filled?: Incorrect,
): string {
	const parts = fields.map((field, index) => {
		const values = filled?.sent[index] ?? (field.initial === '' ? [] : [field.initial]);
		return fieldPart(field, fieldName(index), values, filled?.problems[index]);
	});
	const hidden = element('input', { type: 'hidden', name: TOKEN, value: token });
	const content = [hidden, ...parts, element('button', {}, escaped(submitLabel))].join('');
	// n8n parses this encoding, as for its own forms.
	const form = element('form', { method: 'post', enctype: 'multipart/form-data' }, content);
	return page(title, message, form);
}

function fieldPart(
	field: FormField,
	name: string,
	values: string[],
	problem: string | undefined,
): string {
	const { type, choices, isRequired: required } = field;
	const note = problem === undefined ? '' : element('em', { role: 'alert' }, escaped(problem));
	const label = `${escaped(field.label)}${required ? ' *' : ''}`;
	if (type !== 'checkbox' && type !== 'radio') {
		return element('label', {}, `${label}${inputPart(field, name, values[0] ?? '')}${note}`);
	}
	const boxes = choices.map((value) => {
		const checked = values.includes(value);
		// A browser would require every checkbox.
		const isNeeded = required && type === 'radio';
		const box = element('input', { type, name, value, checked, required: isNeeded });
		return element('label', { class: 'choice' }, `${box} ${escaped(value)}`);
	});
	return element('fieldset', {}, `${element('legend', {}, label)}${boxes.join('')}${note}`);
}

function inputPart(field: FormField, name: string, value: string): string {
	const { type, placeholder, isRequired: required } = field;
	if (type === 'dropdown') {
		const options = ['', ...field.choices].map((choice) =>
			element('option', { value: choice, selected: choice === value }, escaped(choice)),
		);
		return element('select', { name, required }, options.join(''));
	}
	const bounds = { maxlength: MAX_TEXT_LENGTH, placeholder, required };
	if (type === 'textarea') {
		// The parser drops a line break at the start.
		return element('textarea', { name, rows: 6, ...bounds }, `\n${escaped(value)}`);
	}
	const number = type === 'number' && { step: 'any', inputmode: 'decimal' };
	return element('input', { type, name, value, ...number, ...bounds });
}
