import type { INodeProperties } from 'n8n-workflow';

import { checks } from '../../shared/declared/hooks';
import { DETAILS } from '../../shared/declared/received';
import { IF_TOO_LONG, REFUSE } from '../../shared/fields/field-reader';
import { choice, collection, field, numeric, sendsBy, toggle } from './field';

const longestWait = field('Longest Wait (Seconds)', 'longestWait', {
	description:
		'How long an item may wait for the rate limit to reset, by default as long as necessary, or for the server to come back',
	...numeric({ minValue: 0 }, 300),
});

export const parallelRequests = field('Parallel Requests', 'parallelRequests', {
	description:
		'How many requests may be under way at once. Notifications may then arrive out of order; by default, they do not.',
	...numeric({ minValue: 1, numberPrecision: 0 }, 10),
});

const CUT = 'cut';

export const ifTooLong = field('If Too Long', 'ifTooLong', {
	description: 'What to do with text that is longer than the server accepts',
	...choice(CUT, {
		[CUT]: ['Cut', 'Send what fits, with … at its end'],
		[REFUSE]: ['Refuse', 'Send nothing'],
	}),
	...sendsBy(checks((read) => read.choice('ifTooLong', IF_TOO_LONG, [CUT, REFUSE]))),
});

export const includeDetails = field('Include Delivery Details', DETAILS, {
	description:
		'Whether to output the ID of the history entry, which shows what happened to it on each phone, and what the counts mean',
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
