import type { INodeProperties } from 'n8n-workflow';

/**
 * The properties of a required field for a key: a person chooses it from a list, or types it.
 * @param searchListMethod the node's method that lists what exists
 */
export function pickedKey(
	searchListMethod: string,
	placeholders: { list: string; key: string },
	by = 'Key',
): Partial<INodeProperties> {
	return {
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: placeholders.list,
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: `By ${by}`, name: 'key', type: 'string', placeholder: placeholders.key },
		],
	};
}
