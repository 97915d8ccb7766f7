import type { INodeProperties } from 'n8n-workflow';

/** The fields that one operation offers under Options. */
export interface OperationOptions {
	resource: string;
	operation: string;
	fields: INodeProperties[];
}

type Place = Pick<OperationOptions, 'resource' | 'operation'>;

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

const unique = (values: readonly string[]) => [...new Set(values)];

/** Conditions that offer a field of a collection in these places and nowhere else. */
function conditionsFor(places: readonly Place[], all: readonly Place[]): Place[][] {
	const resources = unique(places.map(({ resource }) => resource));
	const operations = unique(places.map(({ operation }) => operation));
	const met = all.filter(
		({ resource, operation }) => resources.includes(resource) && operations.includes(operation),
	);
	if (met.length === places.length) return [[...places]];
	return resources.map((name) => places.filter(({ resource }) => resource === name));
}

function offeredIn(places: readonly Place[]) {
	return {
		'/resource': unique(places.map(({ resource }) => resource)),
		'/operation': unique(places.map(({ operation }) => operation)),
	};
}

/**
 * The collection at the end of every operation: rarely needed fields, and how the node sends. It is
 * declared once for all operations, because most share most of it.
 */
export function declareOptions(operations: readonly OperationOptions[]): INodeProperties {
	const places = new Map<INodeProperties, Place[]>();
	for (const { fields, ...place } of operations) {
		for (const field of fields) places.set(field, [...(places.get(field) ?? []), place]);
	}
	const offered = [...places].flatMap(([field, ofField]) =>
		conditionsFor(ofField, operations).map((condition) => ({
			...field,
			displayOptions: { show: { ...offeredIn(condition), ...field.displayOptions?.show } },
		})),
	);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: byDisplayName([...offered, longestWait]),
	};
}
