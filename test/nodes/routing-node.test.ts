import fc from 'fast-check';
import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
	IVersionedNodeType,
} from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { InstalledTypes } from '../engine/node-types.ts';
import { BECKON, runBeckon } from '../engine/one-node.ts';
import { RecordingServer, type RecordedRequest } from '../engine/recording-server.ts';
import { installedTypes } from '../engine/run-workflow.ts';

/**
 * The description is written in n8n's language: n8n-core's RoutingNode, given it as it is, sends the same requests as
 * our executor, and the node outputs the same. The differences in what is sent are printed, each with its reason.
 */

/** Why our executor sends something else than RoutingNode. */
const REASONS = {
	empty: 'an empty text of a shown field: RoutingNode sends it, ours leaves the field out',
	converted:
		'another type, from an expression: RoutingNode sends it, ours converts it to the type of the field',
	hidden:
		'a field that an expression hides: RoutingNode resolves no condition and shows it, ours hides it',
};

type Reason = keyof typeof REASONS;

/** How often each place in the requests differed, by its reason. */
const differing: Record<Reason, Map<string, number>> = {
	empty: new Map(),
	converted: new Map(),
	hidden: new Map(),
};

const NEWEST = { typeVersion: 2 };

/** Sets of parameters per operation. */
const RUNS = 200 * Number(process.env['RANDOM_TEST_FACTOR'] ?? 1);

/** The installed types, with a Beckon node that n8n-core must interpret itself. */
class Interpreted extends InstalledTypes {
	/**
	 * The functions that it takes for the node's own way to run. It gives no items to the fields of a declared node with
	 * a `webhook` (`prepareConnectionInputData`); the last test shows it.
	 */
	without = ['execute', 'webhook'];

	override getByName(name: string): INodeType | IVersionedNodeType {
		const type = super.getByName(name);
		if (name !== BECKON) return type;
		const missing = this.without.map((member) => [member, undefined]);
		return Object.assign(Object.create(type) as INodeType, Object.fromEntries(missing));
	}
}

class WithWebhook extends Interpreted {
	override without = ['execute'];
}

let service: RecordingServer;
let ours: InstalledTypes;
let interpreted: InstalledTypes;
let description: INodeTypeDescription;

beforeAll(async () => {
	// Of every list, two pages with an entry each.
	service = await RecordingServer.start({
		body: (path) => ({ success: true, ...LISTS, next: path.includes('after=') ? null : 'next' }),
	});
	ours = await installedTypes();
	interpreted = await Interpreted.load();
	({ description } = ours.getByNameAndVersion(BECKON));
});

afterAll(() => {
	service.stop();
	for (const [reason, places] of Object.entries(differing)) {
		const found = [...places].map(([place, times]) => `${place} (${times})`).sort();
		console.info(`${REASONS[reason as Reason]}:\n${found.join(', ')}`);
	}
});

const LISTS = Object.fromEntries(
	['channels', 'metrics', 'streams', 'questions', 'triggers'].map((name) => [name, [{ name }]]),
);

/** The node's requests with these parameters, and the outcome of its run. */
async function sentBy(
	types: InstalledTypes,
	parameters: INodeParameters,
	items: IDataObject[] = [{ n: 1 }],
): Promise<{
	status: string;
	message: string | undefined;
	requests: RecordedRequest[];
	output: IDataObject[] | undefined;
}> {
	service.requests.length = 0;
	const run = await runBeckon(parameters, {
		types,
		items,
		node: NEWEST,
		// A question's buttons name it, so it is the same for both.
		executionId: '1',
		credentials: {
			beckonApi: { baseUrl: `${service.url}/api/`, apiKey: 'bk_test' },
		},
	}).catch((error: unknown) => {
		// n8n refuses by the description, before the node runs.
		if (!(error instanceof Error) || error.constructor.name !== 'WorkflowHasIssuesError')
			throw error;
		return { status: 'error', error };
	});
	return {
		status: run.status,
		message: run.error?.message,
		requests: [...service.requests],
		output: 'itemsOf' in run ? run.itemsOf('Beckon').map(({ json }) => json) : undefined,
	};
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** The places at which two bodies differ, such as `actions[0].url`, with both values. */
function* differences(
	ours: unknown,
	theirs: unknown,
	place = '',
): Generator<{ place: string; ours: unknown; theirs: unknown }> {
	if (
		!isRecord(theirs) ||
		!(isRecord(ours) || (ours === undefined && Object.keys(theirs).length > 0))
	) {
		if (ours !== theirs) yield { place, ours, theirs };
		return;
	}
	for (const name of new Set([...Object.keys(ours ?? {}), ...Object.keys(theirs)])) {
		const inside = Array.isArray(theirs)
			? `${place}[${name}]`
			: place === ''
				? name
				: `${place}.${name}`;
		yield* differences(ours?.[name], theirs[name], inside);
	}
}

/** The fields that fill a place, or something around it. The parts of a repeated push lie inside one property more. */
function fieldsFor(place: string, values: INodeParameters): INodeProperties[] {
	const path = `${place.replace(/^push\./, '').replaceAll('[', '.')}.`;
	return description.properties
		.filter((field) => isShown(field, values))
		.flatMap((field) =>
			field.type === 'collection'
				? (field.options as INodeProperties[]).filter((inside) => isShown(inside, values))
				: [field],
		)
		.filter(({ routing }) => {
			const { property, preSend = [] } = routing?.send ?? {};
			return [property, ...preSend.map((hook) => (hook as { fills?: string }).fills)].some(
				(filled) => filled !== undefined && path.startsWith(`${filled}.`),
			);
		});
}

/** @param values with the conditions resolved */
function reasonFor(
	{ place, ours, theirs }: { place: string; ours: unknown; theirs: unknown },
	values: INodeParameters,
): Reason | undefined {
	if (ours === undefined && fieldsFor(place, values).length === 0) return 'hidden';
	if (ours === undefined && theirs === '') return 'empty';
	return typeof ours !== typeof theirs && String(ours) === String(theirs) ? 'converted' : undefined;
}

/** Compares the requests, and notes where they differ for a known reason. */
function compare(
	ours: RecordedRequest[],
	theirs: RecordedRequest[],
	values: INodeParameters,
): void {
	const where = ({ method, path }: RecordedRequest) => `${method} ${path}`;
	expect(ours.map(where)).toEqual(theirs.map(where));
	const found = ours.flatMap(({ body }, index) => [...differences(body, theirs[index]?.body)]);
	const unexplained = found.filter((one) => {
		const reason = reasonFor(one, values);
		if (!reason) return true;
		const place = one.place.replace(/\d+/g, '');
		differing[reason].set(place, (differing[reason].get(place) ?? 0) + 1);
		return false;
	});
	expect(unexplained).toEqual([]);
}

/** Neither an expression nor only white space. */
const text = fc
	.string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
	.filter((value) => value.trim() !== '' && !value.startsWith('='));

const listOf = (pattern: RegExp) =>
	fc
		.uniqueArray(fc.stringMatching(pattern), { minLength: 1, maxLength: 4 })
		.map((entries) => entries.join(', '));

const json = fc
	.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }))
	.map((value) => JSON.stringify(value));

/** Fields whose values have a special form. */
const OF_NAME: Record<string, fc.Arbitrary<unknown>> = {
	streamKey: fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
	repeatId: fc.stringMatching(/^[A-Za-z0-9_-]{32}$/),
	questionId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
	replaces: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
	trigger: fc.stringMatching(/^trg_[A-Za-z0-9_-]{43}$/),
	key: fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,30}$/),
	url: fc.webUrl({ validSchemes: ['https'] }),
	icon: fc.oneof(text, fc.webUrl({ validSchemes: ['https'] })),
	media: fc.webUrl({ validSchemes: ['https'] }),
	redirection: fc.webUrl(),
	durationSeconds: fc.integer({ min: 1, max: 1e6 }),
	upperLimit: fc.integer({ min: 1, max: 1e6 }),
	// Metadata take no objects inside the object.
	metadata: fc
		.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(text, fc.integer(), fc.boolean()))
		.map((value) => JSON.stringify(value)),
	tags: listOf(/^[a-z0-9._:-]{1,10}$/),
	channels: listOf(/^[a-z0-9][a-z0-9_-]{0,10}$/),
	phone: fc.stringMatching(/^phone-[0-9a-f]{24}$/),
	timestamp: fc
		.date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
		.map((date) => date.toISOString()),
	// Different for each choice; buttons with the same text would be refused.
	label: fc.uuid(),
	fieldLabel: fc.uuid(),
	option: fc.uuid(),
	approveLabel: fc.constantFrom('Approve', 'Ship it'),
	disapproveLabel: fc.constantFrom('Decline', 'Wait'),
	limitWaitTime: fc.constantFrom(
		{ values: { limitType: 'afterTimeInterval', resumeAmount: 5, resumeUnit: 'hours' } },
		{ values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2100-01-01T00:00:00Z' } },
	),
	// A picture is stored before the declared request, by a request of its own.
	imageField: fc.constant(''),
	// The way the node sends is not part of the declaration.
	longestWait: fc.constant(0),
	parallelRequests: fc.integer({ min: 1, max: 9 }),
	requestOptions: fc.constant({}),
};

function numberOf({
	typeOptions: { minValue = -1e6, maxValue = 1e6, ...rest } = {},
}: INodeProperties) {
	const range = { min: Math.max(minValue, -1e6), max: Math.min(maxValue, 1e6) };
	return rest.numberPrecision === 0
		? fc.integer(range)
		: fc.double({ ...range, noNaN: true }).map((value) => Math.round(value * 100) / 100 || 1);
}

/** Values that a person can enter into a field. */
function valueOf(field: INodeProperties): fc.Arbitrary<unknown> {
	const known = OF_NAME[field.name];
	if (known) return known;
	switch (field.type) {
		case 'number':
			return numberOf(field);
		case 'boolean':
			return fc.boolean();
		case 'options':
			return fc.constantFrom(
				...(field.options as INodePropertyOptions[]).map(({ value }) => value),
			);
		case 'json':
			return json;
		case 'fixedCollection':
			return rowsOf(field);
		default:
			return text;
	}
}

function rowsOf({ options, typeOptions }: INodeProperties): fc.Arbitrary<unknown> {
	const groups = (options as INodePropertyCollection[]).map(({ name, values }) => {
		const row = fc.record(Object.fromEntries(values.map((value) => [value.name, valueOf(value)])));
		const rows = typeOptions?.multipleValues ? fc.array(row, { minLength: 1, maxLength: 2 }) : row;
		return fc.record({ [name]: rows });
	});
	// One kind of rows, or all of them.
	return fc.oneof(
		...groups,
		fc.tuple(...groups).map((all) => Object.assign({}, ...all) as object),
	);
}

/** Chosen by the panel, or no value. */
const NO_EXPRESSION = [
	'resource',
	'operation',
	'sendTo',
	'__rl',
	'mode',
	'requestOptions',
	'imageField',
];

/**
 * Replaces values by expressions that give the same: a field of the item, one in another type, or one within a text.
 * @param choices one for each value; most of them leave it as it is
 * @returns the parameters, and the item that the expressions read
 */
function withExpressions(parameters: INodeParameters, choices: readonly number[]) {
	const item: IDataObject = { n: 1 };
	let count = 0;
	const replaced = (value: unknown, name = ''): unknown => {
		if (NO_EXPRESSION.includes(name)) return value;
		if (Array.isArray(value)) return value.map((entry) => replaced(entry));
		if (isRecord(value))
			return Object.fromEntries(
				Object.entries(value).map(([key, inside]) => [key, replaced(inside, key)]),
			);
		count += 1;
		const field = `v${count}`;
		const choice = choices[count % choices.length];
		const text = String(value);
		if (choice === 0) {
			item[field] = value as IDataObject[string];
		} else if (choice === 1) {
			const isNumber = typeof value === 'string' && String(Number(value)) === value;
			item[field] = isNumber ? Number(value) : text;
		} else if (choice === 2 && typeof value === 'string' && /^[\w ]/.test(value)) {
			item[field] = value.slice(1);
			return `=${value.charAt(0)}{{ $json.${field} }}`;
		} else return value;
		return `={{ $json.${field} }}`;
	};
	return { parameters: replaced(parameters) as INodeParameters, item };
}

const isShown = (field: INodeProperties, values: INodeParameters) =>
	n8n.NodeHelpers.displayParameter(values, field, NEWEST, description, values);

/**
 * Parameters of an operation, field by field, each shown by the choices above it. Optional fields are
 * sometimes left empty.
 */
function parametersOf(chosen: INodeParameters): fc.Arbitrary<INodeParameters> {
	return description.properties.reduce<fc.Arbitrary<INodeParameters>>(
		(sets, field) =>
			sets.chain((values) =>
				field.name in values || !isShown(field, values)
					? fc.constant(values)
					: valueIn(field, values).map(
							(value) => ({ ...values, [field.name]: value }) as INodeParameters,
						),
			),
		fc.constant(chosen),
	);
}

const hasButtons = ({ actions }: INodeParameters) => JSON.stringify(actions ?? {}) !== '{}';

function valueIn(field: INodeProperties, values: INodeParameters): fc.Arbitrary<unknown> {
	if (field.type === 'collection' && !(field.name in OF_NAME)) {
		const inside = (field.options as INodeProperties[]).filter(
			// Media cannot be combined with buttons, which are filled in earlier.
			(option) => isShown(option, values) && !(option.name === 'media' && hasButtons(values)),
		);
		return fc.record(Object.fromEntries(inside.map((option) => [option.name, valueOf(option)])), {
			requiredKeys: [],
		});
	}
	if (field.required || field.type === 'options') return valueOf(field);
	return fc.oneof(
		{ weight: 4, arbitrary: valueOf(field) },
		{ weight: 1, arbitrary: fc.constant(field.default) },
	);
}

/** For every value, whether it becomes an expression, and of which kind. */
const CHOICES = fc.array(fc.nat(9), { minLength: 40, maxLength: 40 });

const OPERATIONS: Array<[string, string]> = [
	['pushNotification', 'send'],
	['pushNotification', 'sendAndWait'],
	['pushNotification', 'stopRepeating'],
	['badge', 'set'],
	['badge', 'clear'],
	['liveActivity', 'upsert'],
	['liveActivity', 'end'],
	['liveActivity', 'sendAndWait'],
	['liveActivityManual', 'start'],
	['liveActivityManual', 'update'],
	['liveActivityManual', 'end'],
	['liveActivity', 'getAll'],
	['metric', 'getAll'],
	['metric', 'setValue'],
	['channel', 'getAll'],
	['trigger', 'getAll'],
	['question', 'getAll'],
	['question', 'get'],
	['question', 'withdraw'],
];

test('every operation is compared', () => {
	const declared = description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) =>
			(options as INodePropertyOptions[]).map(({ value }) => [
				displayOptions?.show?.['resource']?.[0],
				value,
			]),
		);
	expect(declared.sort()).toEqual([...OPERATIONS].sort());
});

/** Fields that a value makes invalid: in the first item of a question, otherwise in the second item. */
const BREAKABLE: Record<string, [field: string, valid: string, broken?: string]> = {
	streamKey: ['streamKey', 'k'],
	activityId: ['activityId', 'a'],
	repeatId: ['repeatId', 'r'.repeat(32)],
	questionId: ['questionId', 'q'],
	limit: ['limit', '1', 'x'],
	key: ['key', 'k'],
	badge: ['badge', '1'],
	title: ['title', 'T'],
};

function brokenFor(parameters: INodeParameters): INodeParameters {
	if (parameters['operation'] === 'getAll')
		parameters = { ...parameters, returnAll: false, limit: 1 };
	const [field, valid, broken = ' '] =
		Object.entries(BREAKABLE).find(([name]) => name in parameters)?.[1] ?? [];
	const nth = parameters['operation'] === 'sendAndWait' ? 1 : 2;
	const value = `={{ $json.n === ${nth} ? "${broken}" : "${valid}" }}`;
	return field === undefined
		? { ...parameters, sendTo: 'channels', channels: `={{ $json.n === 2 ? "A B" : "ops" }}` }
		: { ...parameters, [field]: value };
}

test.each(OPERATIONS)(
	'%s, %s: valid parameters are sent as RoutingNode sends them, invalid ones for no item',
	async (resource, operation) => {
		const counts = { valid: 0, invalid: 0 };
		await fc.assert(
			fc.asyncProperty(parametersOf({ resource, operation }), CHOICES, async (values, choices) => {
				const { parameters, item } = withExpressions(values, choices);
				const sent = await sentBy(ours, parameters, [item]);
				if (sent.status === 'error') {
					counts.invalid += 1;
					expect([sent.message, sent.requests]).toEqual([
						expect.stringMatching(/must|is required|cannot/),
						[],
					]);
					return;
				}
				counts.valid += 1;
				const theirs = await sentBy(interpreted, parameters, [item]);
				expect(theirs.message).toBeUndefined();
				compare(sent.requests, theirs.requests, values);
				// RoutingNode does not wait.
				if (operation !== 'sendAndWait') expect(sent.output).toEqual(theirs.output);
				expect(sent.requests.length).toBeGreaterThan(0);
				const items = [item, { ...item, n: 2 }];
				const broken = await sentBy(ours, brokenFor(parameters), items);
				expect(broken).toMatchObject({ status: 'error', requests: [] });
			}),
			{ numRuns: RUNS },
		);
		expect(counts.valid).toBeGreaterThan(RUNS / 10);
	},
);

test('each reason for a difference occurs', () => {
	expect(Object.entries(differing).filter(([, places]) => places.size === 0)).toEqual([]);
});

test('with its webhook, n8n-core gives the declared fields no items', async () => {
	const badge = { resource: 'badge', operation: 'set', badge: '={{ $json.n }}' };
	expect((await sentBy(interpreted, badge)).requests).toMatchObject([{ body: { badge: 1 } }]);

	const types = await WithWebhook.load();
	expect((await sentBy(types, badge)).requests).toEqual([]);
});
