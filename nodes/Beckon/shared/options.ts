import type { INodeProperties } from 'n8n-workflow';

/** Lists of fields to pick from are in alphabetical order, as everywhere in n8n. */
export function byDisplayName<T extends { displayName: string }>(fields: readonly T[]): T[] {
	return [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

const longestWait: INodeProperties = {
	displayName: 'Longest Wait (Seconds)',
	name: 'longestWait',
	type: 'number',
	default: 300,
	typeOptions: { minValue: 0 },
	description:
		'How long an item may wait in total once the allowance is used up. After that it fails, and says when the allowance is full again. Without this option, it waits as long as necessary.',
};

export const parallelRequests: INodeProperties = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	default: 10,
	typeOptions: { minValue: 1, numberPrecision: 0 },
	description:
		'How many requests of this node may be under way at the same time, so they may arrive out of order. Without this option, notifications are sent one at a time, in the order of the items. Requests for the same stream, activity, metric or badge always are.',
};

/**
 * The collection at the end of an operation: rarely needed fields, and how the node sends. Operations
 * with the same options share one.
 */
export function optionsField(
	resource: string,
	operation: string[],
	fields: readonly INodeProperties[],
): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { resource: [resource], operation } },
		options: byDisplayName([...fields, longestWait]),
	};
}
