import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { BECKON, runBeckon } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';
import { installedTypes } from '../engine/run-workflow.ts';

/** A refusal of the service is told with the names of the fields in the node's panel. */

const refusal = { error: 'Invalid request', message: '', issues: [] as object[] };

let service: RecordingServer;
let description: INodeTypeDescription;

beforeAll(async () => {
	service = await RecordingServer.start({ status: 400, body: refusal });
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
});

afterAll(() => {
	service.stop();
});

/** What the user reads if the service refuses these places of the request. */
async function told(
	parameters: INodeParameters,
	paths: string[],
	{ message = 'is bad' } = {},
): Promise<string[]> {
	refusal.issues = paths.map((path) => ({ path, message }));
	refusal.message = paths.map((path) => `${path} ${message}.`).join(' ');
	const run = await runBeckon(parameters, {
		credentials: {
			beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' },
		},
	});
	return run.error?.message.split(/(?<=\.) (?=[A-Z])/) ?? [];
}

/** Valid values for all that an operation needs. */
const FILLED: INodeParameters = {
	title: 'T',
	message: 'M',
	value: 'V',
	badge: 1,
	percentage: 1,
	streamKey: 'k',
	activityId: 'a',
	repeatId: 'r'.repeat(32),
	questionId: 'q',
	key: 'k',
	currentStep: 1,
	numberOfSteps: 2,
	durationSeconds: 60,
	metrics: { metric: [{ label: 'L', value: 1 }] },
	channels: ['ops'],
};

const isShown = (field: INodeProperties, values: INodeParameters) =>
	n8n.NodeHelpers.displayParameter(values, field, { typeVersion: 2 }, description, values);

function placesOf({ routing }: INodeProperties): string[] {
	const { property, preSend = [] } = routing?.send ?? {};
	const fills = preSend.map((hook) => (hook as { fills?: string }).fills);
	return [property, ...fills].filter((place) => place !== undefined);
}

/** The names of the fields that an operation offers for each place of its request. */
function namesByPlace(values: INodeParameters): Map<string, string[]> {
	const shown = description.properties.filter((field) => isShown(field, values));
	const inside = shown
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options }) => options as INodeProperties[])
		.filter((field) => isShown(field, values));
	const fills = [...shown, ...inside].flatMap((field) =>
		placesOf(field).map((place) => ({
			place: place.replace(/[{}]/g, ''),
			name: field.displayName,
		})),
	);
	// The title of a question is its whole alert, unless that has fields of its own.
	const namesOf = (path: string) =>
		fills
			.filter(({ place }) => `${path}.`.startsWith(`${place}.`))
			.map(({ name }) => `${name} (${path})`);
	return new Map(fills.map(({ place }) => [place, namesOf(place)]));
}

const choicesOf = (name: string, values: INodeParameters) =>
	description.properties
		.filter((field) => field.name === name && isShown(field, values))
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ value }) => value));

/** Every operation, with every activity type where there are some. */
function variants(): INodeParameters[] {
	return choicesOf('resource', {}).flatMap((resource) =>
		choicesOf('operation', { resource }).flatMap((operation) => {
			const types = choicesOf('activityType', { resource, operation });
			return types.length > 0
				? types.map((activityType) => ({ resource, operation, activityType, sendTo: 'channels' }))
				: [{ resource, operation, sendTo: 'channels' }];
		}),
	);
}

test('every field of every operation is named as in the panel', async () => {
	const all = variants();
	expect(all.length).toBeGreaterThan(40);
	let fields = 0;
	for (const variant of all) {
		const names = namesByPlace(variant);
		// An operation that lists has no fields in its request.
		if (names.size === 0) continue;
		// A type to keep has a sentence of its own (defaults.test.ts).
		if (variant['activityType'] === 'keep') names.delete('content_state.type');
		const sentences = await told({ ...FILLED, ...variant }, [...names.keys()]);
		const unnamed = [...names.values()].filter(
			(some, index) => !some.some((name) => sentences[index] === `${name} is bad.`),
		);
		expect({ variant, unnamed, sentences: sentences.length }).toEqual({
			variant,
			unnamed: [],
			sentences: names.size,
		});
		fields += names.size;
	}
	expect(fields).toBeGreaterThan(420);
});

const CHANNELS = 'Channel Names or IDs';

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey: 'k', title: 'T' };
const open = { title: 'Look', type: 'open_url', url: 'https://a.example' };
const call = { title: 'Call', type: 'webhook', url: 'https://a.example' };
const start = { title: 'Start', type: 'start_workflow', trigger: `trg_${'a'.repeat(43)}` };

test.each<[INodeParameters, Array<[path: string, name: string]>]>([
	[
		{
			...send,
			actions: { button: [open, call, start] },
		},
		[
			['actions[0].url', 'Button 1: URL'],
			['actions[1].title', 'Button 2: Label'],
			['actions[1].method', 'Button 2: Method'],
			['actions[1].body', 'Button 2: Body'],
			['actions[2].trigger', 'Button 3: Workflow'],
			['actions[2].data', 'Button 3: Data'],
			['actions[2].url', 'Button 3: Workflow'],
			['actions[2].body', 'Button 3: Data'],
			['actions', 'Buttons'],
		],
	],
	[
		{ ...send, options: { repeat: { values: { everyMinutes: 5, times: 3 } } } },
		[
			['push.title', 'Title'],
			['repeat.every_minutes', 'Repeat Until Somebody Reacts: Every (Minutes)'],
		],
	],
	[
		{ ...upsert, activityType: 'stats', metrics: { metric: [{ label: 'A', value: 1 }] } },
		[
			['content_state.metrics[0].label', 'Metric 1: Label'],
			['content_state.metrics[7].unit', 'Metric 8: Unit'],
		],
	],
	[
		{ ...upsert, activityType: 'alert', content: { action: { button: open }, icon: 'bolt' } },
		[
			['action.url', 'Button: URL'],
			['content_state.icon', 'Icon'],
		],
	],
	[
		{ ...send, options: { tags: 'a', metadata: '{"name":"x"}' } },
		[
			['tags[0]', 'Tags'],
			['metadata.name', 'Metadata'],
		],
	],
])('a part of a field is named, too: %j', async (parameters, names) => {
	const sentences = await told(
		parameters,
		names.map(([path]) => path),
	);

	expect(sentences).toEqual(names.map(([path, name]) => `${name} (${path}) is bad.`));
});

const phone = `phone-${'0'.repeat(24)}`;

test.each<[INodeParameters, string, string]>([
	[{ ...send, sendTo: 'channels', channels: ['ops'] }, 'target.channels', CHANNELS],
	[{ ...send, sendTo: 'phone', phone }, 'target.channels', 'Phone'],
	[{ ...upsert, sendTo: 'channels', channels: ['ops'] }, 'channels', CHANNELS],
	[{ ...upsert, sendTo: 'phone', phone }, 'channels', 'Phone'],
])('the recipients are named by their field: %j', async (given, path, name) => {
	expect(await told(given, [path, `${path}[0]`])).toEqual([
		`${name} (${path}) is bad.`,
		`${name} (${path}[0]) is bad.`,
	]);
});

test.each([
	[
		'progress',
		'content_state.percentage',
		'is required (or send value together with upper_limit)',
		'Percentage (content_state.percentage) is required (or send Current Value (value) together with Upper Limit (upper_limit)).',
	],
	[
		'alert',
		'secondary_action',
		'cannot be used with a timer activity; send only action',
		'Second Button (secondary_action) cannot be used with a timer activity; send only Button (action).',
	],
	[
		'alert',
		'action.type',
		'must be one of open_url, start_workflow',
		'Button: When Tapped (action.type) must be one of open_url, start_workflow.',
	],
	['value', 'unheard_of', 'is unknown', 'unheard_of is unknown.'],
])('other fields in a rule are named, too: %s, %s', async (activityType, path, rule, sentence) => {
	expect(await told({ ...upsert, activityType }, [path], { message: rule })).toEqual([sentence]);
});
