import type { INodeProperties } from 'n8n-workflow';

import { field } from './field';

/** Lists of fields to pick from are in alphabetical order, as everywhere in n8n. */
export function byDisplayName<T extends { displayName: string }>(fields: readonly T[]): T[] {
	return [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

const longestWait = field(
	'Longest Wait (Seconds)',
	'longestWait',
	'How long an item may wait in total once the allowance is used up. After that it fails, and says when the allowance is full again. Without this option, it waits as long as necessary.',
	{ type: 'number', typeOptions: { minValue: 0 }, default: 300 },
);

export const parallelRequests = field(
	'Parallel Requests',
	'parallelRequests',
	'How many requests of this node may be under way at the same time, so they may arrive out of order. Without this option, notifications are sent one at a time, in the order of the items. Requests for the same stream, activity, metric or badge always are.',
	{ type: 'number', typeOptions: { minValue: 1, numberPrecision: 0 }, default: 10 },
);

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
