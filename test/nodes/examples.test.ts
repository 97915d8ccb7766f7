import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type {
	INode,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import { BECKON } from '../engine/one-node.ts';
import { installedTypes, type WorkflowJson } from '../engine/run-workflow.ts';

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url));

type Parameters = Record<string, unknown>;

const isCollection = (option: unknown): option is INodePropertyCollection =>
	typeof option === 'object' && option !== null && 'values' in option;

/** The fields that a value of a property may contain: those of its collection. */
function fieldsInside({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return options
		.filter(isCollection)
		.map((group) => ({ ...group, type: 'collection', default: {}, options: group.values }));
}

/** Paths of parameters that no property of the node declares. */
function unknownParameters(
	parameters: Parameters,
	properties: readonly INodeProperties[],
	prefix = '',
): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const declared = properties.filter((property) => property.name === name);
		if (declared.length === 0) return [prefix + name];
		const inside = declared.flatMap(fieldsInside);
		if (inside.length === 0 || typeof value !== 'object' || value === null) return [];
		const rows = (Array.isArray(value) ? value : [value]) as Parameters[];
		return rows.flatMap((row) => unknownParameters(row, inside, `${prefix}${name}.`));
	});
}

const TRIGGER = 'n8n-nodes-beckon.beckonTrigger';

/** n8n 2's own variant of the Beckon node: human review between an agent and its tools. */
const HUMAN_REVIEW = `${BECKON}HitlTool`;

const OURS = [BECKON, TRIGGER, HUMAN_REVIEW];

let propertiesOf: Record<string, INodeProperties[]>;

beforeAll(async () => {
	const types = await installedTypes();
	const beckon = types.getByNameAndVersion(BECKON).description.properties;
	const trigger = types.getByNameAndVersion(TRIGGER).description.properties;
	propertiesOf = { [BECKON]: beckon, [HUMAN_REVIEW]: beckon, [TRIGGER]: trigger };
});

/** The values offered by all properties of this name. */
const offered = (name: string) =>
	(propertiesOf[BECKON] ?? [])
		.filter((property) => property.name === name)
		.flatMap(({ options = [] }) => (options as INodePropertyOptions[]).map(({ value }) => value));

const examples = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => ({
		file,
		...(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as WorkflowJson),
	}));

it('there are at least eight examples, each of them in the guide', () => {
	const guide = readFileSync(path.join(FOLDER, '../docs/n8n.md'), 'utf8');

	expect(examples.length).toBeGreaterThanOrEqual(8);
	expect(examples.filter(({ file }) => !guide.includes(`(../examples/${file})`))).toEqual([]);
});

describe.each(examples)('examples/$file', ({ name, nodes }) => {
	const beckonNodes = nodes.filter(({ type }: INode) => OURS.includes(type));

	it('has a name, and a note that explains it', () => {
		expect(name).toBeTruthy();
		const notes = nodes.filter(({ type }: INode) => type === 'n8n-nodes-base.stickyNote');
		expect(
			notes.map(({ parameters }) => JSON.stringify(parameters['content']).length > 80),
		).toEqual([true]);
	});

	it('uses only fields that the Beckon node has', () => {
		expect(beckonNodes.length).toBeGreaterThan(0);
		for (const node of beckonNodes) {
			expect(unknownParameters(node.parameters, propertiesOf[node.type] ?? [])).toEqual([]);
			for (const choice of ['resource', 'operation', 'activityType']) {
				const value = node.parameters[choice];
				if (value !== undefined) expect(offered(choice)).toContain(value);
			}
		}
	});

	it('holds no credential', () => {
		expect(nodes.filter(({ credentials }: INode) => credentials !== undefined)).toEqual([]);
	});
});
