import type { INodeProperties } from 'n8n-workflow';

/** Lists of fields that the user picks from are in alphabetical order, as everywhere in n8n. */
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
		'How long an item may wait in all when the allowance of the minute is used up. After that the item fails and says when the allowance returns.',
};

const parallelRequests: INodeProperties = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	default: 1000,
	typeOptions: { minValue: 1 },
	description:
		'How many requests of this node may be under way at the same time. Those for the same stream, activity, metric or badge are always sent one after another, in the order of the items.',
};

/** The collection at the end of every operation: what is rarely needed, and how the node sends. */
export function optionsOf(...fields: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: byDisplayName([...fields, longestWait, parallelRequests]),
	};
}
