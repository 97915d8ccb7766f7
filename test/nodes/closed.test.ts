import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
	NodeParameterValueType,
} from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { BECKON, runBeckon } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';
import { installedTypes } from '../engine/run-workflow.ts';

/**
 * Every field of every operation gets what is not in its list, what is of another type, and nothing. Whatever is sent
 * then reaches no others, and has the same type, the same buttons and the same way to answer as without the field.
 */

const url = 'https://a.example';

const to = { sendTo: 'channels', channels: ['ops'] };

const button = { title: 'A', type: 'open_url', url, method: 'POST', body: '{}' };

const start = {
	...button,
	type: 'start_workflow',
	trigger: { __rl: true, mode: 'key', value: `trg_${'x'.repeat(22)}` },
	firstTap: true,
	data: '{}',
};

const actions = { button: [button, { ...button, type: 'webhook' }, start] };

const metrics = { metric: [{ label: 'L', value: '1', unit: '', color: '' }] };

const activity = { title: 'T', activityType: 'stats', metrics };

const asking = { title: 'T', responseType: 'approval', ...to };

const form = {
	...asking,
	responseType: 'form',
	formFields: { values: [{ fieldLabel: 'L', fieldType: 'text' }] },
};

const choices = { ...asking, responseType: 'choices', choices: { choice: [{ label: 'A' }] } };

const key = { __rl: true, mode: 'key', value: 'k' };

/** What makes each operation complete, with recipients where it has some. */
const COMPLETE: Array<[string, string, INodeParameters]> = [
	['pushNotification', 'send', { title: 'T', actions, ...to }],
	['pushNotification', 'sendAndWait', asking],
	['pushNotification', 'sendAndWait', choices],
	['pushNotification', 'sendAndWait', form],
	['pushNotification', 'sendAndWait', { ...asking, responseType: 'freeText' }],
	['pushNotification', 'stopRepeating', { repeatId: 'x'.repeat(32) }],
	['liveActivity', 'upsert', { streamKey: key, ...activity, ...to }],
	['liveActivity', 'end', { streamKey: key, ...activity }],
	['liveActivity', 'sendAndWait', { streamKey: key, ...asking }],
	['liveActivity', 'getAll', {}],
	['badge', 'set', { badge: 1, ...to }],
	['badge', 'clear', { ...to }],
	['metric', 'setValue', { key, value: '1' }],
	['metric', 'getAll', {}],
	['question', 'get', { questionId: key }],
	['question', 'withdraw', { questionId: key }],
	['question', 'getAll', {}],
	['channel', 'getAll', {}],
	['trigger', 'getAll', {}],
	['liveActivityManual', 'start', { ...activity, ...to }],
	['liveActivityManual', 'update', { activityId: 'a', ...activity }],
	['liveActivityManual', 'end', { activityId: 'a', ...activity }],
];

let description: INodeTypeDescription;
let service: RecordingServer;

beforeAll(async () => {
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
	const question = { question_id: 'q', deadline_at: '2100-01-01', timestamp: '2026-01-01' };
	service = await RecordingServer.start({ body: { success: true, ...question } });
});

afterAll(() => {
	service.stop();
});

test('there is a complete example of every operation', () => {
	const all = description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			((displayOptions?.show?.['resource'] ?? []) as string[]).flatMap((resource) =>
				(options as INodePropertyOptions[]).map(({ value }) => `${resource} ${String(value)}`),
			),
		);
	const complete = COMPLETE.map(([resource, operation]) => `${resource} ${operation}`);
	expect(new Set(complete)).toEqual(new Set(all));
});

/** A field, and the parameters of its operation with a value in it. */
interface Place {
	field: INodeProperties;
	path: string;
	given: (value: NodeParameterValueType) => INodeParameters;
}

/** The fields that are shown beside each other, and those inside of them. */
function placesIn(
	fields: readonly INodeProperties[],
	values: INodeParameters,
	root: INodeParameters,
	put: (values: INodeParameters) => INodeParameters,
): Place[] {
	const isShown = (field: INodeProperties) =>
		n8n.NodeHelpers.displayParameter(values, field, { typeVersion: 2 }, description, root);
	return fields
		.filter((field) => isShown(field) && !['hidden', 'notice'].includes(field.type))
		.flatMap((field) => {
			const { name, type, options = [] } = field;
			const old = values[name] as INodeParameters | undefined;
			const within = (value: NodeParameterValueType) => put({ ...values, [name]: value });
			if (type === 'collection') {
				return (options as INodeProperties[]).flatMap((one) =>
					placesIn([one], {}, root, (inside) => within({ ...old, ...inside })),
				);
			}
			if (type !== 'fixedCollection') return [{ field, path: name, given: within }];
			const [{ name: group, values: parts }] = options as [INodePropertyCollection];
			const initial = Object.fromEntries(parts.map((part) => [part.name, part.default]));
			const filled = (old ?? (field.default as INodeParameters))[group];
			const isList = field.typeOptions?.multipleValues === true;
			const rows = isList
				? ((filled ?? []) as INodeParameters[])
				: [{ ...initial, ...(filled as object) }];
			return rows.flatMap((row, index) =>
				placesIn(parts, row, root, (changed) =>
					within({ [group]: isList ? rows.with(index, changed) : changed }),
				).map((place) => ({ ...place, path: `${name}.${index}.${place.path}` })),
			);
		});
}

/** Runs the node, and returns what it sent. A run that n8n does not begin has sent nothing. */
async function sentBy(parameters: INodeParameters, value?: unknown) {
	service.requests.length = 0;
	const run = await runBeckon(parameters, {
		items: [value === undefined ? {} : { value }],
		credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
	}).catch((error: unknown) => ({ error }));
	return { requests: [...service.requests], isRefused: run.error !== undefined };
}

type Body = Record<string, unknown> & { push?: Body };

/** The thing that a call names may be another. */
const NAMED = /(?<=\/(stream|metrics|repeated|questions)\/)[^/]+/;

/** What must not change: that it does not go to everybody, and what it is. */
function kindOf({ method, path, body }: (typeof service.requests)[number]) {
	const { push, ...rest } = body as Body;
	const it = (push ?? rest) as Body & {
		target?: { channels?: string[] };
		channels?: string[];
		content_state?: { type?: string };
		live_activity?: { keep?: boolean };
		actions?: Array<{ type: string; method?: string }>;
		choices?: unknown[];
	};
	return {
		call: `${method} ${path.replace(/\?.*|\/repeated$/, '').replace(NAMED, '$1')}`,
		isLimited: [it.target?.channels, it.channels].map((channels) => (channels?.length ?? 0) > 0),
		type: it.content_state?.type,
		keeps: it.live_activity?.keep,
		buttons: it.actions?.map(({ type, method: by }) => [type, by]),
		choices: it.choices?.length,
		answeredBy: ['text', 'link', 'callback'].filter((name) => name in it),
	};
}

const WRONG = ['no-such-value', ['no', 'such'], { no: 'such' }, undefined];

/** Values that these fields take, or may lack. */
const isOptional = ({ type, name, allowArbitraryValues }: INodeProperties, value: unknown) =>
	type !== 'options' ||
	allowArbitraryValues === true ||
	(value === undefined && /color|level/i.test(name));

test.each(COMPLETE)('%s, %s: %j', async (resource, operation, parameters) => {
	const complete = { resource, operation, ...parameters };
	const { requests: expected, isRefused } = await sentBy(complete);
	expect([isRefused, expected.length]).toEqual([false, 1]);
	const places = placesIn(description.properties, complete, complete, (all) => all).filter(
		({ path }) => !['resource', 'operation'].includes(path),
	);
	expect(places.length).toBeGreaterThan(0);
	const found: unknown[] = [];
	for (const { field, path, given } of places) {
		for (const value of WRONG) {
			const { requests, isRefused } = await sentBy(given('={{ $json.value }}'), value);
			const isSame = requests.every(
				(request) => JSON.stringify(kindOf(request)) === JSON.stringify(kindOf(expected[0]!)),
			);
			if (isSame && (isRefused || isOptional(field, value))) continue;
			found.push({ path, value, isRefused, sent: requests.map(kindOf) });
		}
	}
	expect(found).toEqual([]);
});
