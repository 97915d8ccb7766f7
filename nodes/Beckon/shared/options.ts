import type { INodeProperties } from 'n8n-workflow';

import { field, numeric } from './field';

const longestWait = field('Longest Wait (Seconds)', 'longestWait', {
	description:
		'How long an item may wait once the allowance is used up; then it fails. By default, it waits as long as necessary.',
	...numeric({ minValue: 0 }, 300),
});

export const parallelRequests = field('Parallel Requests', 'parallelRequests', {
	description:
		'How many requests may be under way at once. Notifications may then arrive out of order; by default, they do not.',
	...numeric({ minValue: 1, numberPrecision: 0 }, 10),
});

/**
 * The collection at the end of an operation: rarely needed fields, those that authors use most first, and
 * how the node sends. Operations with the same options share one.
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
		options: [...fields, longestWait],
	};
}
