import { readFileSync } from 'node:fs';
import path from 'node:path';

import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodePropertyRouting,
	INodeTypeDescription,
} from 'n8n-workflow';

import { requestTable } from '../../scripts/lib/request-table.ts';
import { n8n } from '../engine/n8n.ts';
import { BECKON } from '../engine/one-node.ts';
import { installedTypes } from '../engine/run-workflow.ts';

/** Tests the part of n8n's vocabulary in which the node declares its requests (docs/node-requests.md). */

let description: INodeTypeDescription;

beforeAll(async () => {
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
});

/** Types of fields whose value can be sent unchanged. */
const PLAIN = ['string', 'number', 'boolean', 'options'];

const isLiteral = (value: unknown) => !JSON.stringify(value).includes('"=');

const isFunctions = (value: unknown) =>
	Array.isArray(value) && value.every((entry) => typeof entry === 'function');

const unknownKeys = (object: object | undefined, known: string[]) =>
	Object.keys(object ?? {}).filter((key) => !known.includes(key));

/** Parts of a field's routing beyond the vocabulary. */
function foreignToField({ routing, type, displayOptions }: INodeProperties): string[] {
	if (!routing) return [];
	const { property, type: place, preSend } = routing.send ?? {};
	const conditions = Object.keys(displayOptions?.show ?? {});
	return [
		...unknownKeys(routing, ['send']),
		...unknownKeys(routing.send, ['type', 'property', 'preSend']),
		...(property !== undefined && place !== 'body' ? ['property without type body'] : []),
		...(property !== undefined && !isLiteral(property) ? ['property is an expression'] : []),
		...(property !== undefined && !PLAIN.includes(type) ? [`property of a ${type}`] : []),
		...(preSend !== undefined && !isFunctions(preSend) ? ['preSend without functions'] : []),
		...(property === undefined && preSend === undefined ? ['sends nothing'] : []),
		...unknownKeys(displayOptions, ['show']).map((key) => `displayOptions.${key}`),
		...conditions.filter((name) => name.startsWith('@')),
	];
}

/** Parts of an operation's routing that are missing or beyond the vocabulary. */
function foreignToOperation({ routing }: INodePropertyOptions): string[] {
	const { request, output, send, operations } = routing ?? {};
	const isPaged = send?.paginate === true;
	return [
		...(request?.method === undefined || request.url === undefined ? ['no request'] : []),
		...(isLiteral(request) ? [] : ['expression in request']),
		...unknownKeys(routing, ['request', 'output', 'send', 'operations']),
		...unknownKeys(send, ['paginate']),
		...unknownKeys(operations, ['pagination']),
		...(isPaged === (typeof operations?.pagination === 'function') ? [] : ['no pages']),
		...unknownKeys(request, ['method', 'url', 'body']),
		...unknownKeys(output, ['postReceive']),
		...(isFunctions(output?.postReceive) ? [] : ['postReceive without functions']),
	];
}

/** Everything that may have a routing, and its place. */
function* routable(
	fields: readonly INodeProperties[],
	place: string[] = [],
): Generator<{ place: string[]; field: INodeProperties }> {
	for (const field of fields) {
		yield { place, field };
		for (const option of field.options ?? []) {
			const inside = 'values' in option ? option.values : 'type' in option ? [option] : [];
			yield* routable(inside, [...place, field.type]);
		}
	}
}

const optionsWithRouting = (field: INodeProperties) =>
	((field.options ?? []) as Array<INodePropertyOptions | INodePropertyCollection>).filter(
		(option): option is INodePropertyOptions & { routing: INodePropertyRouting } =>
			'value' in option && option.routing !== undefined,
	);

test('every operation declares its request, and nothing but the vocabulary', () => {
	const operations = description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => options as INodePropertyOptions[]);

	expect(operations.length).toBeGreaterThan(10);
	expect(operations.flatMap(foreignToOperation)).toEqual([]);
});

test('every routed field declares nothing but the vocabulary, at the top or in a collection', () => {
	const foreign = [...routable(description.properties)].flatMap(({ place, field }) => [
		...foreignToField(field).map((what) => `${field.name}: ${what}`),
		...(field.routing && !['', 'collection'].includes(place.join('/'))
			? [`${field.name}: routing in a ${place.join('/')}`]
			: []),
		...(field.name !== 'operation'
			? optionsWithRouting(field).map(({ name }) => `${field.name}: routing of the option ${name}`)
			: []),
	]);

	expect(foreign).toEqual([]);
});

test('the node has no other interpreter: no customOperations, no requestOperations', () => {
	expect(description).not.toHaveProperty('customOperations');
	expect(description).not.toHaveProperty('requestOperations');
	expect(Object.keys(description.requestDefaults ?? {}).sort()).toEqual([
		'disableFollowRedirect',
		'ignoreHttpStatusErrors',
		'json',
	]);
});

test('docs/node-requests.md has the table of what is declared; npm run docs writes it', () => {
	const page = readFileSync(path.join(import.meta.dirname, '../../docs/node-requests.md'), 'utf8');

	expect(page).toContain(requestTable(description, n8n.NodeHelpers.displayParameter));
});
