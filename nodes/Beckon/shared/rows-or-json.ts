import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../shared/declared/hooks';
import type { FieldReader } from '../../shared/fields/field-reader';

/** Merges the rows and the JSON into one object. */
function readObject(read: FieldReader, property: string): object | undefined {
	const rows = read
		.rows(property, `options.${property}Fields.field`)
		.map((row) => [
			row.required('name', row.text('name', 'name')) ?? '',
			row.scalar('value', 'value') ?? '',
		]);
	const entries = [...Object.entries(read.object(property, `options.${property}`) ?? {}), ...rows];
	if (new Set(entries.map(([name]) => name)).size < entries.length) {
		return read.broken(property, 'must not repeat a name');
	}
	return entries.length > 0 ? (Object.fromEntries(entries) as object) : undefined;
}

/**
 * An object of the user's own, for the options: as rows of names and values, as JSON, or both.
 * @param description begins with the purpose of the object
 */
export function rowsOrJson(
	displayName: string,
	property: string,
	description: string,
): INodeProperties[] {
	const routing = {
		send: { preSend: [fillsBody(property, (read) => readObject(read, property))] },
	};
	return [
		{
			displayName,
			name: `${property}Fields`,
			type: 'fixedCollection',
			placeholder: 'Add Field',
			typeOptions: { multipleValues: true, sortable: true },
			default: { field: [{ name: '', value: '' }] },
			options: [
				{
					displayName: 'Field',
					name: 'field',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							placeholder: 'e.g. order',
							description: 'The name of the value',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							placeholder: 'e.g. {{ $json.total }}',
							description:
								'The value: text, or what an expression gives: text, a number, true or false',
						},
					],
				},
			],
			description,
			routing,
		},
		{
			displayName: `${displayName} (JSON)`,
			name: property,
			type: 'json',
			default: '{}',
			description: `${description}. A JSON object.`,
			routing,
		},
	];
}
