import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

import { BECKON } from '../engine/one-node.ts';
import { installedTypes, prepareRun } from '../engine/run-workflow.ts';

/** The panel reads at a glance, and in the words of n8n's own nodes. */

let fields: INodeProperties[];
let description: INodeTypeDescription;

beforeAll(async () => {
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
	fields = everyField(description.properties);
});

/** All fields, at any depth. */
function everyField(some: readonly INodeProperties[]): INodeProperties[] {
	return some.flatMap((field) => [
		field,
		...(field.options ?? []).flatMap((option) => {
			if ('values' in option) return everyField(option.values);
			return 'type' in option ? everyField([option]) : [];
		}),
	]);
}

const choicesOf = ({ type, options = [] }: INodeProperties) =>
	type === 'options' ? (options as INodePropertyOptions[]) : [];

const shown = (text = '') => text.replace(/<[^>]+>/g, '');

test('a hint takes two lines at most, and that of a choice one', () => {
	const long = fields
		.filter((field) => shown(field.description).length > 120)
		.map((field) => field.description);
	const longChoices = fields
		.flatMap(choicesOf)
		.filter((choice) => shown(choice.description).length > 60 && choice.value !== 'upsert')
		.map((choice) => choice.description);

	expect(long).toEqual([]);
	expect(longChoices).toEqual([]);
});

test('what is shown in a field while it is empty fits', () => {
	const placeholders = fields.flatMap(({ placeholder = '', modes = [] }) => [
		placeholder,
		...modes.map((mode) => mode.placeholder ?? ''),
	]);

	expect(placeholders.filter((text) => text.length > 50)).toEqual([]);
});

test('Whether begins the description of a switch, and of nothing else', () => {
	const isSwitch = (field: INodeProperties) => field.type === 'boolean';
	const beginsSo = (field: INodeProperties) => (field.description ?? '').startsWith('Whether');
	const wrong = fields.filter((field) => isSwitch(field) !== beginsSo(field));

	expect(wrong.map(({ displayName }) => displayName)).toEqual([]);
});

test('rows that have a bound have it in the editor too', () => {
	const bounds = Object.fromEntries(
		fields
			.filter(({ typeOptions }) => typeOptions?.multipleValues)
			.map(({ name, typeOptions: { minRequiredFields: min, maxAllowedFields: max } = {} }) => [
				name,
				[min, max],
			]),
	);

	expect(bounds).toEqual({
		actions: [undefined, 4],
		metrics: [undefined, 8],
		choices: [1, 4],
		formFields: [1, 20],
		fieldOptions: [undefined, undefined],
	});
});

/** The names of the options of an operation, in their order. */
function optionsOf(resource: string, operation: string): string[] {
	const options = description.properties.find(
		({ name, displayOptions: { show = {} } = {} }) =>
			name === 'options' &&
			show['resource']?.includes(resource) &&
			show['operation']?.includes(operation),
	);
	return (options?.options as INodeProperties[]).map(({ name }) => name);
}

/** What the canvas shows under the name of a node. */
async function subtitleOf(parameters: INodeParameters) {
	const node = { id: '1', name: 'Beckon', type: BECKON, typeVersion: 2, position: [0, 0] };
	const nodes = [{ ...node, parameters } as INode];
	const { workflow } = await prepareRun({ workflow: { nodes, connections: {} } });
	const beckon = workflow.getNode('Beckon')!;
	const { subtitle } = description;
	return workflow.expression.getSimpleParameterValue(beckon, subtitle, 'internal', {});
}

test('the canvas says what each operation does, in the words of the panel', async () => {
	const [resources] = description.properties;
	for (const { name: resourceName, value: resource } of choicesOf(resources!)) {
		const operations = description.properties.filter(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.['resource']?.includes(resource),
		);
		expect(operations).toHaveLength(1);
		for (const { name, value: operation } of choicesOf(operations[0]!)) {
			expect(await subtitleOf({ resource, operation })).toBe(`${name}: ${resourceName}`);
		}
	}
});

test.each<[INodeParameters, string]>([
	[{ operation: 'send', title: '={{ $json.nope.nope }}' }, 'Send: Push Notification'],
	[{ resource: 'liveActivity', operation: 'upsert', streamKey: 'web' }, 'Create or Update: web'],
	[
		{ resource: 'metric', operation: 'setValue', key: { __rl: true, mode: 'list', value: 'a' } },
		'Set Value: a',
	],
])('the canvas says to what: %j', async (parameters, subtitle) => {
	expect(await subtitleOf(parameters)).toBe(subtitle);
});

test('options begin with what authors use most, and end with how the node sends', () => {
	expect(optionsOf('pushNotification', 'send')).toEqual([
		'subtitle',
		'redirection',
		'sound',
		'interruptionLevel',
		'badge',
		'icon',
		'media',
		'imageField',
		'repeat',
		'replaces',
		'expiresAfter',
		'tags',
		'metadata',
		'payload',
		'ifTooLong',
		'includeDetails',
		'parallelRequests',
		'longestWait',
	]);
	expect(optionsOf('liveActivity', 'upsert').slice(-2)).toEqual([
		'parallelRequests',
		'longestWait',
	]);
	expect(optionsOf('liveActivity', 'sendAndWait')[0]).toBe('limitWaitTime');
});

test('a sound is chosen from a list, and an expression may name another', () => {
	const sound = fields.find(({ name }) => name === 'sound');

	expect(sound).toMatchObject({ type: 'options', allowArbitraryValues: true });
	expect(sound && choicesOf(sound).map(({ value }) => value)).toEqual(['default', 'none']);
});
