import type { INodeProperties } from 'n8n-workflow';

import { OF_OBJECTS, OF_VALUES } from '../../shared/fields/bounds';
import { fillsBody } from '../../shared/declared/hooks';
import type { FieldReader } from '../../shared/fields/field-reader';
import { field, group, rowsOf, sendsBy } from './field';

/** Merges the rows and the JSON into one object. */
function readObject(read: FieldReader, property: string, parameter: string): object | undefined {
	const rows = read
		.rows(property, `${parameter}.field`)
		.map((row): [string, unknown] => [
			row.required('name', row.text('name', 'name')) ?? '',
			row.scalar('value', 'value') ?? '',
		]);
	const json = read
		.rows(property, `${parameter}.json`)
		.flatMap((row) => Object.entries(row.object('object', 'object') ?? {}));
	const entries = [...json, ...rows];
	if (new Set(entries.map(([name]) => name)).size < entries.length) {
		return read.broken(property, 'must not repeat a name');
	}
	for (const [name, value] of entries) {
		read.checked(`${property}.${name}`, value, OF_VALUES[property]);
	}
	return entries.length > 0
		? read.checked(property, Object.fromEntries(entries), OF_OBJECTS[property])
		: undefined;
}

/**
 * An object of the user's own, for the options: as rows of names and values, as JSON, or both.
 * @param description the purpose of the object
 */
export function rowsOrJson(
	displayName: string,
	property: string,
	description: string,
): INodeProperties {
	const name = `${property}Fields`;
	return field(displayName, name, {
		description,
		...rowsOf([
			group('Field', 'field', [
				field('Name', 'name', { description: 'The name of the value', placeholder: 'e.g. order' }),
				field('Value', 'value', {
					description: 'A text, or a number, true or false from an expression',
					placeholder: 'e.g. {{ $json.total }}',
				}),
			]),
			group('JSON', 'json', [
				field('JSON', 'object', { description: 'A JSON object', type: 'json', default: '{}' }),
			]),
		]),
		...sendsBy(fillsBody(property, (read) => readObject(read, property, `options.${name}`))),
	});
}

export const metadataField = rowsOrJson(
	'Metadata',
	'metadata',
	'Values that are kept in the history and never sent to a phone',
);
