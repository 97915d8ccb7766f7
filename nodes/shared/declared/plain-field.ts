import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { OF_NUMBERS, OF_TEXTS } from '../fields/bounds';
import type { FieldReader } from '../fields/field-reader';
import { oneOf, within } from '../fields/rules';
import type { RoutedField } from './plan';

/**
 * The value of a field that is sent unchanged, converted to the field's type. It is checked by the
 * rules declared for the editor (type, required, options, minValue, maxValue and numberPrecision), and
 * by those of the service that the editor does not know.
 * @param property the value's path in the request
 * @returns undefined for a field left empty
 */
export function plainValue(
	read: FieldReader,
	{ field, parameter }: RoutedField,
	property: string,
): unknown {
	const value = converted(read, field, parameter, property);
	return field.required ? read.required(property, value) : value;
}

function converted(read: FieldReader, field: INodeProperties, parameter: string, property: string) {
	const isListed = field.type === 'options' && !field.allowArbitraryValues;
	switch (field.type) {
		case 'number':
			return field.typeOptions?.numberPrecision === 0
				? read.wholeNumber(property, parameter, within(field.typeOptions))
				: read.number(property, parameter, OF_NUMBERS[property] ?? within(field.typeOptions));
		case 'boolean':
			return read.flag(property, parameter);
		default:
			return read.text(
				property,
				parameter,
				isListed ? oneOf(optionValues(field)) : OF_TEXTS[property],
			);
	}
}

const optionValues = ({ options = [] }: INodeProperties) =>
	(options as INodePropertyOptions[]).map(({ value }) => String(value));

/** Puts a value into the request, at a path of names separated by dots. */
export function setAt(body: IDataObject, property: string, value: unknown): void {
	const names = property.split('.');
	const last = names.pop() ?? '';
	let inside = body;
	for (const name of names) inside = (inside[name] ??= {}) as IDataObject;
	inside[last] = value as IDataObject;
}
