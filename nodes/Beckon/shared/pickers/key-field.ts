import type { INodeProperties } from 'n8n-workflow';

interface KeyField extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'routing'
> {
	/** The node's method that lists what exists. */
	searchListMethod: string;
	listPlaceholder: string;
	keyPlaceholder: string;
}

/** A required field for a key: chosen from what the service lists, or typed. */
export function keyField({
	searchListMethod,
	listPlaceholder,
	keyPlaceholder,
	...field
}: KeyField): INodeProperties {
	return {
		...field,
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: listPlaceholder,
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'By Key', name: 'key', type: 'string', placeholder: keyPlaceholder },
		],
	};
}
