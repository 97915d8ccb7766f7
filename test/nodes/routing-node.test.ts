import fc from 'fast-check';
import type {
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
 * The description is written in n8n's language: n8n-core's RoutingNode, given it without `execute`,
 * sends the same requests as our executor, with three intended differences:
 *
 * - Shown fields left empty are omitted; RoutingNode sends "" for a text.
 * - Values are converted to their field's type and checked; RoutingNode sends them unchanged.
 * - A display condition that is an expression is resolved; RoutingNode shows every field that depends on it.
 */

const NEWEST = { typeVersion: 2 };

/** Sets of parameters per operation. */
const RUNS = 200 * Number(process.env['RANDOM_TEST_FACTOR'] ?? 1);

/** The installed types, with a Beckon node that n8n-core must interpret itself. */
class Interpreted extends InstalledTypes {
	override getByName(name: string): INodeType | IVersionedNodeType {
		const type = super.getByName(name) as INodeType;
		return name === BECKON ? { description: choosingItsCredential(type.description) } : type;
	}
}

/** With several credentials, RoutingNode uses the one that a parameter of this name chooses. */
function choosingItsCredential(described: INodeTypeDescription): INodeTypeDescription {
	const name = 'authentication';
	return {
		...described,
		properties: [
			...described.properties,
			{ displayName: 'Authentication', name, type: 'hidden', default: 'beckonApi' },
		],
		credentials: described.credentials?.map((credential) =>
			credential.name === 'beckonApi'
				? { ...credential, displayOptions: { show: { [name]: ['beckonApi'] } } }
				: credential,
		),
	};
}

let service: RecordingServer;
let ours: InstalledTypes;
let interpreted: InstalledTypes;
let description: INodeTypeDescription;

beforeAll(async () => {
	service = await RecordingServer.start();
	ours = await installedTypes();
	interpreted = await Interpreted.load();
	({ description } = ours.getByNameAndVersion(BECKON));
});

afterAll(() => {
	service.stop();
});

/** The node's requests with these parameters, and the outcome of its run. */
async function sentBy(
	types: InstalledTypes,
	parameters: INodeParameters,
	items: Array<Record<string, number>> = [{ n: 1 }],
): Promise<{ status: string; message: string | undefined; requests: RecordedRequest[] }> {
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
	return { status: run.status, message: run.error?.message, requests: [...service.requests] };
}

/** Removes empty texts and the objects they leave empty: the first of the intended differences. */
function withoutEmpty(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutEmpty);
	if (typeof value !== 'object' || value === null) return value;
	const kept = Object.entries(value)
		.map(([name, inside]) => [name, withoutEmpty(inside)] as const)
		.filter(([, inside]) => inside !== '' && !isEmptyObject(inside));
	return Object.fromEntries(kept);
}

const isEmptyObject = (value: unknown) =>
	typeof value === 'object' &&
	value !== null &&
	!Array.isArray(value) &&
	Object.keys(value).length === 0;

const comparable = (requests: RecordedRequest[]) =>
	requests.map(({ body, ...request }) => ({ ...request, body: withoutEmpty(body) }));

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
	object: fc
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
const BREAKABLE: Record<string, [field: string, valid: string]> = {
	streamKey: ['streamKey', 'k'],
	activityId: ['activityId', 'a'],
	repeatId: ['repeatId', 'r'.repeat(32)],
	questionId: ['questionId', 'q'],
	key: ['key', 'k'],
	badge: ['badge', '1'],
	title: ['title', 'T'],
};

function brokenFor(parameters: INodeParameters): INodeParameters {
	const [field, valid] = Object.entries(BREAKABLE).find(([name]) => name in parameters)?.[1] ?? [];
	const nth = parameters['operation'] === 'sendAndWait' ? 1 : 2;
	const value = `={{ $json.n === ${nth} ? " " : "${valid}" }}`;
	return field === undefined
		? { ...parameters, sendTo: 'channels', channels: `={{ $json.n === 2 ? "A B" : "ops" }}` }
		: { ...parameters, [field]: value };
}

test.each(OPERATIONS)(
	'%s, %s: valid parameters are sent as RoutingNode sends them, invalid ones for no item',
	async (resource, operation) => {
		const counts = { valid: 0, invalid: 0 };
		await fc.assert(
			fc.asyncProperty(parametersOf({ resource, operation }), async (parameters) => {
				const sent = await sentBy(ours, parameters);
				if (sent.status === 'error') {
					counts.invalid += 1;
					expect([sent.message, sent.requests]).toEqual([
						expect.stringMatching(/must|is required|cannot/),
						[],
					]);
					return;
				}
				counts.valid += 1;
				const theirs = await sentBy(interpreted, parameters);
				expect(theirs.message).toBeUndefined();
				expect(comparable(sent.requests)).toEqual(comparable(theirs.requests));
				expect(sent.requests).toHaveLength(1);
				const broken = await sentBy(ours, brokenFor(parameters), [{ n: 1 }, { n: 2 }]);
				expect(broken).toMatchObject({ status: 'error', requests: [] });
			}),
			{ numRuns: RUNS },
		);
		expect(counts.valid).toBeGreaterThan(RUNS / 10);
	},
	120_000,
);
