import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { BECKON } from '../engine/one-node.ts';
import { installedTypes } from '../engine/run-workflow.ts';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

let description: INodeTypeDescription;

beforeAll(async () => {
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
});

const isShown = (field: INodeProperties, values: INodeParameters, { root = values } = {}) =>
	n8n.NodeHelpers.displayParameter(values, field, { typeVersion: 2 }, description, root);

function shownFields(values: INodeParameters): INodeProperties[] {
	return description.properties.filter((field) => isShown(field, values));
}

/** Names of the fields offered for a Live Activity, at the top and under Additional Content. */
function contentFor(values: INodeParameters): { front: string[]; additional: string[] } {
	const shown = shownFields(values);
	const additional = (shown.find(({ name }) => name === 'content')?.options ??
		[]) as INodeProperties[];
	const around = [
		'resource',
		'operation',
		'streamKey',
		'activityId',
		'activityType',
		'sendTo',
		'content',
		'options',
		'requestOptions',
	];
	return {
		front: shown.map(({ name }) => name).filter((name) => !around.includes(name)),
		additional: additional
			.filter((field) => isShown(field, {}, { root: values }))
			.map(({ name }) => name),
	};
}

const common = ['color', 'icon', 'iconColor', 'subtitle'];
const badge = ['badgeColor', 'badgeTitle'];
const twoButtons = ['action', 'secondaryAction'];

const OPERATIONS: Array<[string, string]> = [
	['liveActivity', 'upsert'],
	['liveActivity', 'end'],
	['liveActivityManual', 'start'],
	['liveActivityManual', 'update'],
	['liveActivityManual', 'end'],
];

describe.each(OPERATIONS)(
	'%s, %s: only what fits the chosen type is shown',
	(resource, operation) => {
		test.each<[string, string[], string[]]>([
			['alert', ['title', 'message'], [...twoButtons, ...badge, ...common]],
			['metrics', ['title', 'metrics'], ['action', ...common]],
			[
				'progress',
				['title', 'percentage'],
				[...twoButtons, ...badge, ...common, 'currentValue', 'upperLimit'],
			],
			[
				'segmented_progress',
				['title', 'currentStep', 'numberOfSteps'],
				[...twoButtons, ...badge, ...common, 'stepColor', 'stepPalette'],
			],
			['stats', ['title', 'metrics'], ['action', ...common]],
			['timer', ['title', 'durationSeconds'], ['action', ...common, 'countsDown', 'isRunning']],
			['value', ['title', 'value'], [...twoButtons, ...badge, ...common]],
		])('%s', (activityType, front, additional) => {
			const content = contentFor({ resource, operation, activityType });

			expect(content.front).toEqual(front);
			expect(content.additional.sort()).toEqual([...additional].sort());
		});
	},
);

/** The fields offered under Options. */
function optionFields(resource: string, operation: string): INodeProperties[] {
	const values = { resource, operation };
	const [options, ...others] = shownFields(values).filter(({ name }) => name === 'options');
	expect(others).toEqual([]);
	return ((options?.options ?? []) as INodeProperties[]).filter((field) =>
		isShown(field, {}, { root: values }),
	);
}

/** Names of the fields offered under Options, without those that all operations have. */
function optionsFor(resource: string, operation: string): string[] {
	return optionFields(resource, operation)
		.map(({ name }) => name)
		.filter((name) => name !== 'longestWait');
}

const changedTags = ['clearTags', 'ifTooLong', 'tags'];
const push = [
	'badge',
	'icon',
	'ifTooLong',
	'interruptionLevel',
	'metadata',
	'payload',
	'redirection',
	'sound',
	'subtitle',
	'tags',
];
/** Those that depend on how to answer are offered with that. */
const asking = [
	'escalate',
	'icon',
	'ifTooLong',
	'includeDetails',
	'interruptionLevel',
	'limitWaitTime',
	'media',
	'metadata',
	'remind',
	'sound',
	'subtitle',
	'tags',
];
const alert = ['alertBody', 'alertTitle'];
const dismissal = ['autoDismissMinutes', 'autoDismissSeconds'];

test.each<[string, string, string[]]>([
	[
		'pushNotification',
		'send',
		[
			...push,
			'expiresAfter',
			'imageField',
			'media',
			'includeDetails',
			'parallelRequests',
			'repeat',
			'replaces',
		],
	],
	['pushNotification', 'stopRepeating', ['parallelRequests']],
	['pushNotification', 'sendAndWait', asking],
	['badge', 'set', ['includeDetails', 'parallelRequests']],
	['badge', 'clear', ['includeDetails', 'parallelRequests']],
	[
		'liveActivity',
		'upsert',
		[...alert, ...dismissal, 'metadata', ...changedTags, 'includeDetails', 'parallelRequests'],
	],
	[
		'liveActivity',
		'end',
		[...alert, ...dismissal, 'metadata', ...changedTags, 'includeDetails', 'parallelRequests'],
	],
	['liveActivity', 'sendAndWait', [...asking, 'afterResponse']],
	['question', 'get', ['parallelRequests']],
	['question', 'withdraw', ['parallelRequests']],
	['channel', 'getAll', []],
	['liveActivity', 'getAll', []],
	['metric', 'getAll', []],
	['question', 'getAll', []],
	['trigger', 'getAll', []],
	[
		'liveActivityManual',
		'start',
		[...alert, 'metadata', 'ifTooLong', 'includeDetails', 'parallelRequests', 'tags'],
	],
	[
		'liveActivityManual',
		'update',
		['metadata', ...changedTags, 'includeDetails', 'parallelRequests'],
	],
	[
		'liveActivityManual',
		'end',
		['autoDismissMinutes', 'metadata', ...changedTags, 'includeDetails', 'parallelRequests'],
	],
	['metric', 'setValue', ['parallelRequests', 'timestamp']],
])('%s, %s: only its own options are offered', (resource, operation, options) => {
	expect(optionsFor(resource, operation).sort()).toEqual([...options].sort());
});

/** The operations that reach phones, and whether they are those of a stream. */
const SENDING: Array<[string, string, boolean]> = [
	['liveActivity', 'upsert', true],
	['liveActivity', 'sendAndWait', false],
	['liveActivityManual', 'start', false],
	['pushNotification', 'send', false],
	['pushNotification', 'sendAndWait', false],
	['badge', 'set', false],
	['badge', 'clear', false],
];

test.each(SENDING)(
	'%s, %s: Send To says that updates need the same where there are any: %s',
	(resource, operation, isStream) => {
		const [sendTo, ...others] = shownFields({ resource, operation }).filter(
			({ name }) => name === 'sendTo',
		);

		expect(others).toEqual([]);
		expect(sendTo?.description?.includes('the same with every update')).toBe(isStream);
	},
);

test.each(SENDING)('%s, %s: Send To shows what it needs', (resource, operation) => {
	const of = (sendTo: string) =>
		shownFields({ resource, operation, sendTo })
			.filter(({ name }) => ['channels', 'phone'].includes(name))
			.map(({ name, required }) => [name, required]);

	expect(of('all')).toEqual([]);
	expect(of('channels')).toEqual([['channels', true]]);
	expect(of('phone')).toEqual([['phone', true]]);
});

test('only operations that reach phones ask whom', () => {
	const asking = description.properties
		.filter(({ name }) => name === 'sendTo')
		.flatMap(({ displayOptions }) =>
			(displayOptions?.show?.['operation'] ?? []).map((operation) => [
				displayOptions?.show?.['resource']?.[0],
				operation,
			]),
		);
	const sending = SENDING.map(([resource, operation]) => [resource, operation]);

	expect(new Set(asking.map(String))).toEqual(new Set(sending.map(String)));
});

test.each(OPERATIONS)(
	'%s, %s: it is said when a field is needed, and what leaving it empty means',
	(resource, operation) => {
		const hint = /Needed.* when the Live Activity starts; later, leave empty to/;
		const ofTypes = [
			['alert', ['title', 'message']],
			['segmented_progress', ['title', 'currentStep', 'numberOfSteps']],
			['timer', ['title', 'durationSeconds']],
			['value', ['title', 'value']],
		] as const;
		for (const [activityType, names] of ofTypes) {
			const hints = shownFields({ resource, operation, activityType })
				.filter(({ name }) => (names as readonly string[]).includes(name))
				.map(({ description: text }) => text);
			expect(hints).toEqual(names.map(() => expect.stringMatching(hint) as string));
		}
	},
);

test('little is required', () => {
	const required = (resource: string, operation: string) =>
		shownFields({ resource, operation, activityType: 'progress' })
			.filter((field) => field.required)
			.map(({ name }) => name);

	expect(required('pushNotification', 'send')).toEqual(['title']);
	expect(required('pushNotification', 'stopRepeating')).toEqual(['repeatId']);
	expect(required('badge', 'set')).toEqual(['badge']);
	expect(required('badge', 'clear')).toEqual([]);
	expect(required('liveActivity', 'upsert')).toEqual(['streamKey']);
	expect(required('liveActivity', 'end')).toEqual(['streamKey']);
	expect(required('liveActivityManual', 'start')).toEqual([]);
	expect(required('liveActivityManual', 'update')).toEqual(['activityId']);
	expect(required('liveActivityManual', 'end')).toEqual(['activityId']);
	expect(required('metric', 'setValue')).toEqual(['key', 'value']);
	expect(required('question', 'get')).toEqual(['questionId']);
	expect(required('question', 'withdraw')).toEqual(['questionId']);
});

test('an activity type from an expression demands no field of another operation', () => {
	const fields = shownFields({
		resource: 'liveActivity',
		operation: 'upsert',
		activityType: '={{ $json.type }}',
	});

	expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(['streamKey']);
	expect(fields.filter(({ name }) => name === 'message')).toHaveLength(1);
});

/** All fields that hold values, at any depth. */
function valueFields(fields: readonly INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => {
		const nested = (field.options ?? []).flatMap((option) => {
			if ('values' in option) return valueFields(option.values);
			return 'type' in option ? valueFields([option]) : [];
		});
		return nested.length > 0 ? nested : [field];
	});
}

test('every field tells an AI agent what to fill in', () => {
	const own = description.properties.filter(({ name }) => name !== 'requestOptions');
	const silent = valueFields(own).filter(
		(field) => field.type !== 'options' && (field.description ?? '').length < 10,
	);

	expect(silent.map(({ displayName }) => displayName)).toEqual([]);
	expect(description.usableAsTool).toBe(true);
});

test('the node is found by what people search for', () => {
	const { alias, categories, subcategories } = description.codex ?? {};

	expect(categories).toContain('Communication');
	// n8n's list "Human review", which offers the two waiting actions.
	expect(categories).toContain('HITL');
	expect(subcategories).toEqual({ HITL: ['Human in the Loop'] });
	expect(alias).toEqual(
		expect.arrayContaining([
			'push',
			'notification',
			'notify phone',
			'iphone',
			'live activity',
			'ntfy',
			'pushover',
		]),
	);
});

test('the list of actions begins with pushes, and n8n shows both nodes under one description', async () => {
	const [resource] = description.properties;
	const trigger = (await installedTypes()).getByNameAndVersion('n8n-nodes-beckon.beckonTrigger');

	expect(resource?.options?.map(({ name }) => name)).toEqual([
		'Push Notification',
		'Live Activity',
		'App Icon Badge',
		'Metric',
		'Question',
		'Channel',
		'Trigger',
		'Live Activity by ID',
	]);
	expect(resource?.options?.at(-1)).toMatchObject({
		description: expect.stringContaining('otherwise choose Live Activity') as string,
	});
	expect(trigger.description.description).toContain('Send push notifications');
});

test('n8n, the phone and the console show one icon', () => {
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const ofPhone = read('server/web/phone/icon.svg');

	expect(read('icons/beckon.svg')).toBe(ofPhone);
	// It has its own sky as the background, whether n8n is light or dark.
	expect(read('icons/beckon.dark.svg')).toBe(ofPhone);
	expect(read('server/web/console/index.html')).toContain('../phone/icon.svg');
});

test('the guide names the versions of n8n that the package is tested in', () => {
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const versions = ['line-1', 'line-2'].map((line) => {
		const manifest = JSON.parse(read(`test/n8n/${line}/package.json`)) as {
			dependencies: { n8n: string };
		};
		return manifest.dependencies.n8n;
	});
	expect(read('docs/n8n.md')).toContain(`Tested with n8n ${versions.join(' and ')}.`);
});
