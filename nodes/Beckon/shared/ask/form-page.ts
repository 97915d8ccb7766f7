import { fieldName, TOKEN, type Incorrect } from './form-answer';
import { MAX_TEXT_LENGTH, type Form, type FormField } from './form-fields';
import { escaped, page } from './page';

/** The page on which a question is answered. @param filled an answer that needs to be corrected */
export function formPage(
	{ title, message }: { title: string; message: string },
	{ fields, submitLabel, token }: Form,
	filled?: Incorrect,
): string {
	const parts = fields.map((field, index) => {
		const values = filled?.sent[index] ?? (field.initial === '' ? [] : [field.initial]);
		return fieldPart(field, fieldName(index), values, filled?.problems[index]);
	});
	return page(
		title,
		[
			message === '' ? '' : `<p>${escaped(message)}</p>`,
			// n8n 2 takes the answer to a custom form in no other encoding.
			'<form method="post" enctype="multipart/form-data">',
			`<input type="hidden" name="${TOKEN}" value="${escaped(token)}">`,
			...parts,
			`<button>${escaped(submitLabel)}</button>`,
			'</form>',
		].join(''),
	);
}

function fieldPart(
	field: FormField,
	name: string,
	values: string[],
	problem: string | undefined,
): string {
	const problemText = problem === undefined ? '' : `<em role="alert">${escaped(problem)}</em>`;
	const label = `${escaped(field.label)}${field.isRequired ? ' *' : ''}`;
	if (field.type === 'checkbox' || field.type === 'radio') {
		const choices = field.choices.map((choice) => choicePart(field, name, choice, values));
		return `<fieldset><legend>${label}</legend>${choices.join('')}${problemText}</fieldset>`;
	}
	return `<label>${label}${inputPart(field, name, values[0] ?? '')}${problemText}</label>`;
}

function choicePart(
	{ type, isRequired }: FormField,
	name: string,
	choice: string,
	values: string[],
) {
	const required = type === 'radio' && isRequired ? ' required' : '';
	const checked = values.includes(choice) ? ' checked' : '';
	return `<label class="choice"><input type="${type}" name="${name}" value="${escaped(choice)}"${checked}${required}> ${escaped(choice)}</label>`;
}

function inputPart(field: FormField, name: string, value: string): string {
	const { type, isRequired, choices } = field;
	const required = isRequired ? ' required' : '';
	const placeholder =
		field.placeholder === '' ? '' : ` placeholder="${escaped(field.placeholder)}"`;
	const limit = ` maxlength="${MAX_TEXT_LENGTH}"`;
	if (type === 'textarea') {
		// The parser drops a line break at the start.
		return `<textarea name="${name}" rows="6"${limit}${placeholder}${required}>\n${escaped(value)}</textarea>`;
	}
	if (type === 'dropdown') {
		const options = ['', ...choices].map(
			(choice) =>
				`<option value="${escaped(choice)}"${choice === value ? ' selected' : ''}>${escaped(choice)}</option>`,
		);
		return `<select name="${name}"${required}>${options.join('')}</select>`;
	}
	const step = type === 'number' ? ' step="any" inputmode="decimal"' : '';
	return `<input type="${type}" name="${name}" value="${escaped(value)}"${step}${limit}${placeholder}${required}>`;
}
