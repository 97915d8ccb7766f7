import type { INodeProperties } from 'n8n-workflow';

import { DETAILS } from '../../shared/declared/received';
import { collection, field, numeric, toggle } from './field';

const longestWait = field('Longest Wait (Seconds)', 'longestWait', {
	description:
		'How long an item may wait for the rate limit to reset; then it fails. By default, it waits as long as necessary.',
	...numeric({ minValue: 0 }, 300),
});

export const parallelRequests = field('Parallel Requests', 'parallelRequests', {
	description:
		'How many requests may be under way at once. Notifications may then arrive out of order; by default, they do not.',
	...numeric({ minValue: 1, numberPrecision: 0 }, 10),
});

export const includeDetails = field('Include Delivery Details', DETAILS, {
	description:
		'Whether to output the ID of the history entry, which tells what became of it on each phone, and what the counts mean',
	...toggle(false),
});

/**
 * The collection at the end of an operation: rarely needed fields, those that authors use most first, and
 * how the node sends. Operations with the same options share one.
 */
export function optionsField(
	resource: string | string[],
	operation: string[],
	fields: readonly INodeProperties[],
): INodeProperties {
	return {
		...collection('Options', 'options', 'Add option', [...fields, longestWait]),
		displayOptions: { show: { resource: [resource].flat(), operation } },
	};
}
