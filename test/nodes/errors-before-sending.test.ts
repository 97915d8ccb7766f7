import type { INodeParameters } from 'n8n-workflow';

import { startBench, type Bench } from './bench.ts';
import { failureOf, inServiceWords, serviceSays } from './failure.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

describe('what is found before sending is reported in the words of the service', () => {
	const stream = (contentState: object) => ({
		path: '/live-activity/stream/k',
		method: 'PUT',
		body: { content_state: contentState },
	});
	const starting = (contentState: object) => ({
		path: '/live-activity/start',
		method: 'POST',
		body: { content_state: contentState },
	});
	const push = (body: object) => ({ path: '/push-notification', method: 'POST', body });
	const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey: 'k' };
	const start = { resource: 'liveActivityManual', operation: 'start', title: 'T' };
	const tooMany = Array.from({ length: 21 }, (_, index) => `t${index}`);

	test.each<[string, INodeParameters, { path: string; method: string; body: object }]>([
		[
			'a tag',
			{ ...send, title: 'T', options: { tags: 'Deploy' } },
			push({ title: 'T', tags: ['Deploy'] }),
		],
		[
			'a tag twice',
			{ ...send, title: 'T', options: { tags: 'a,a' } },
			push({ title: 'T', tags: ['a', 'a'] }),
		],
		[
			'too many tags',
			{ ...send, title: 'T', options: { tags: tooMany.join() } },
			push({ title: 'T', tags: tooMany }),
		],
		[
			'a channel',
			{ ...send, title: 'T', sendTo: 'channels', channels: 'On Call' },
			push({ title: 'T', target: { channels: ['On Call'] } }),
		],
		[
			'media with buttons',
			{
				...send,
				title: 'T',
				actions: { button: [{ title: 'B', type: 'open_url', url: 'https://a.example' }] },
				options: { media: 'https://a.example/a.png' },
			},
			push({
				title: 'T',
				media: 'https://a.example/a.png',
				actions: [{ title: 'B', type: 'open_url', url: 'https://a.example' }],
			}),
		],
		['the badge', { ...send, title: 'T', options: { badge: -1 } }, push({ title: 'T', badge: -1 })],
		[
			'a badge that is no number',
			{ ...send, title: 'T', options: { badge: 1.5 } },
			push({ title: 'T', badge: 1.5 }),
		],
		[
			'the interruption level',
			{ ...send, title: 'T', options: { interruptionLevel: '={{ "loud" }}' } },
			push({ title: 'T', interruption_level: 'loud' }),
		],
		[
			'a color',
			{ ...upsert, activityType: 'keep', content: { color: '={{ "pink" }}' } },
			stream({ color: 'pink' }),
		],
		[
			'the percentage',
			{ ...upsert, activityType: 'progress', percentage: 101 },
			stream({ type: 'progress', percentage: 101 }),
		],
		['the activity type', { ...upsert, activityType: '={{ "party" }}' }, stream({ type: 'party' })],
		[
			'more steps than there are',
			{ ...start, activityType: 'segmented_progress', currentStep: 5, numberOfSteps: 4 },
			starting({ type: 'segmented_progress', title: 'T', current_step: 5, number_of_steps: 4 }),
		],
		[
			'the colors of steps',
			{
				...start,
				activityType: 'segmented_progress',
				currentStep: 2,
				numberOfSteps: 4,
				content: { stepPalette: 'lime' },
			},
			starting({
				type: 'segmented_progress',
				title: 'T',
				current_step: 2,
				number_of_steps: 4,
				step_colors: ['lime'],
			}),
		],
		[
			'a progress without a value',
			{ ...start, activityType: 'progress', percentage: '' },
			starting({ type: 'progress', title: 'T' }),
		],
		[
			'a timer without a duration',
			{ ...start, activityType: 'timer' },
			starting({ type: 'timer', title: 'T' }),
		],
		[
			'metrics without a metric',
			{ ...start, activityType: 'metrics' },
			starting({ type: 'metrics', title: 'T' }),
		],
		[
			'the stream key',
			{ ...upsert, streamKey: 'my key', activityType: 'keep' },
			{ path: '/live-activity/stream/my%20key', method: 'PUT', body: { content_state: {} } },
		],
		[
			'the metric key',
			{ resource: 'metric', operation: 'setValue', key: 'Load', value: '1' },
			{ path: '/metrics/Load/value', method: 'POST', body: { value: 1 } },
		],
	])('%s', async (_what, parameters, { path, method, body }) => {
		const before = await bench.phone.inbox();

		const { message, description } = await failureOf(bench, parameters);

		expect(inServiceWords(message)).toBe(
			(await serviceSays(bench, path, body, { method })).message,
		);
		expect(description).toBe('Found before sending: nothing was sent for any item.');
		expect(await bench.phone.inbox()).toEqual(before);
	});
});

test('n8n itself refuses a fifth button, as the editor shows', async () => {
	const button = Array(5).fill({ title: 'B', type: 'open_url', url: 'https://a.example' });

	await expect(bench.run({ ...send, title: 'T', actions: { button } })).rejects.toThrow(
		'At most 4 fields are allowed.',
	);
});

test('one invalid item keeps all from being sent, so that a second run sends nothing twice', async () => {
	const before = await bench.phone.inbox();

	const { message, description, error } = await failureOf(
		bench,
		{ ...send, title: '={{ $json.title }}' },
		{ items: [{ title: 'one' }, { title: '' }, { title: 'three' }] },
	);

	expect(message).toBe('Title (title) is required.');
	expect(description).toBe('Found before sending: nothing was sent for any item.');
	expect(error.context['itemIndex']).toBe(1);
	expect(await bench.phone.inbox()).toEqual(before);
});

test.each<[INodeParameters, string]>([
	[
		{ ...send, title: 'T', actions: { button: [{ type: 'open_url' }] } },
		'Button 1: Label (actions[0].title) is required. Button 1: URL (actions[0].url) is required.',
	],
	[
		{ ...send, title: 'T', options: { badge: -1, parallelRequests: 0 } },
		'Badge (badge) must be between 0 and 2147483647. Parallel Requests must be 1 or more.',
	],
	[
		{ resource: 'metric', operation: 'setValue', key: 'Load', value: '1' },
		'Metric Key (key) must be 1 to 64 characters: lowercase letters, digits, dashes, underscores and periods, beginning with a letter or digit.',
	],
	[
		{
			resource: 'liveActivityManual',
			operation: 'start',
			title: 'T',
			activityType: 'timer',
			requestOptions: { timeout: 0 },
		},
		'Duration (Seconds) (content_state.duration_seconds) is required, unless Counts Down (counts_down) is false. Timeout must be 1 or more.',
	],
])('fields are named as the panel does: %j', async (parameters, message) => {
	expect((await failureOf(bench, parameters)).message).toBe(message);
});

test.each([
	['the text of an empty array', '[]'],
	['the text of an array with an empty entry', '[""]'],
	['separators between two expressions without a value', '={{ $json.none }},{{ $json.none }}'],
	['an array of which no entry has a value', '={{ [$json.none, null] }}'],
])('channels that name none do not mean every phone: %s', async (_what, channels) => {
	const before = await bench.phone.inbox();

	const { message } = await failureOf(bench, { ...send, title: 'T', sendTo: 'channels', channels });

	const said = await serviceSays(bench, '/push-notification', {
		title: 'T',
		target: { channels: [] },
	});
	expect(inServiceWords(message)).toBe(said.message);
	expect(await bench.phone.inbox()).toEqual(before);
});

test.each<[string, INodeParameters, string]>([
	[
		'an object as tags',
		{ ...send, title: 'T', options: { tags: '={{ { team: "ops", city: "Rome" } }}' } },
		'Tags (tags) must be a list of texts, but has an object: choose one of its fields (team, city).',
	],
	[
		'objects among tags',
		{ ...send, title: 'T', options: { tags: '={{ ["ops", { city: "Rome" }] }}' } },
		'Tags (tags) must be a list of texts, but has an object: choose one of its fields (city).',
	],
	[
		'what is not a number',
		{ resource: 'metric', operation: 'setValue', key: 'cpu.load', value: '={{ 0 / 0 }}' },
		'Value (value) must be a finite number, not NaN.',
	],
	[
		'what is infinite',
		{ resource: 'metric', operation: 'setValue', key: 'cpu.load', value: '={{ 1 / 0 }}' },
		'Value (value) must be a finite number, not Infinity.',
	],
])('%s is described', async (_what, parameters, words) => {
	expect((await bench.run(parameters)).error?.message).toBe(words);
});
