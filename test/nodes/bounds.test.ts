import type { INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';

/** What breaks a bound in the second of three items keeps all three from being sent. */

let service: RecordingServer;

beforeAll(async () => {
	service = await RecordingServer.start();
});

afterAll(() => {
	service.stop();
});

beforeEach(() => {
	service.requests.length = 0;
});

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey: 'k', title: 'T' };
const update = { resource: 'liveActivityManual', operation: 'update', activityId: 'a' };
const setValue = { resource: 'metric', operation: 'setValue', key: 'k' };
const VALUE = '={{ $json.value }}';

/** Texts that a person reads are cut, unless the option says otherwise. */
const refusing = (parameters: INodeParameters): INodeParameters =>
	parameters['resource'] === 'metric'
		? parameters
		: { ...parameters, options: { ...(parameters['options'] as object), ifTooLong: 'refuse' } };

const run = async (parameters: INodeParameters, values: unknown[]) =>
	await runBeckon(refusing(parameters), {
		items: values.map((value) => ({ value }) as never),
		credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
	});

const button = (fields: INodeParameters) => ({
	button: [{ title: 'B', type: 'open_url', url: 'https://a.example', ...fields }],
});
const metric = (fields: INodeParameters) => ({
	activityType: 'stats',
	metrics: { metric: [{ label: 'L', value: '1', ...fields }] },
});
const numbered = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index]));
const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');

/** The longest text is counted in characters: 💡 is one, of two units. */
const text = (length: number) => '💡'.repeat(length);

test.each<[parameters: INodeParameters, good: unknown, bad: unknown, said: string]>([
	[
		{ ...send, title: VALUE },
		text(255),
		text(300),
		'Title (title) must be 1 to 255 characters long.',
	],
	[{ ...send, title: VALUE }, `${text(255)}\n`, text(256), 'Title (title) must be'],
	[
		{ ...send, message: VALUE },
		text(16_000),
		text(16_001),
		'Message (message) must be at most 16000',
	],
	[{ ...send, options: { subtitle: VALUE } }, text(255), text(256), 'Subtitle (subtitle) must be'],
	[{ ...send, options: { sound: VALUE } }, text(64), text(65), 'Sound (sound) must be 1 to 64'],
	[{ ...send, options: { icon: VALUE } }, url(2048), url(2049), 'Icon URL (icon) must be at most'],
	[{ ...send, options: { icon: VALUE } }, url(20), 'http://a.example', 'Icon URL (icon) must be a'],
	[
		{ ...send, options: { media: VALUE } },
		url(20),
		'a.png',
		'Media URL (media) must be a URL that',
	],
	[
		{ ...send, options: { redirection: VALUE } },
		'app:x',
		'a.example',
		'(redirection) must be a URL',
	],
	[
		{ ...send, actions: button({ title: VALUE }) },
		text(64),
		text(65),
		'Button 1: Label (actions[0].title) must be 1 to 64 characters long.',
	],
	[
		{ ...send, actions: button({ url: VALUE }) },
		'shortcuts://run',
		'ftp://a.example',
		'Button 1: URL (actions[0].url) must be an https, http or shortcuts URL.',
	],
	[
		{ ...send, actions: button({ type: 'webhook', url: VALUE }) },
		'https://a.example',
		'shortcuts://run',
		'Button 1: URL (actions[0].url) must be an https URL.',
	],
	[
		{ ...send, options: { payload: VALUE } },
		{ x: 'x'.repeat(2000) },
		{ x: 'ü'.repeat(1030) },
		'Payload (payload) must be at most 2048 bytes when written as JSON.',
	],
	[
		{ ...send, options: { metadata: VALUE } },
		numbered(50),
		numbered(51),
		'Metadata (metadata) must have at most 50 entries.',
	],
	[
		{ ...send, options: { metadata: VALUE } },
		{ ['x'.repeat(64)]: null },
		{ ['x'.repeat(65)]: null },
		'Metadata (metadata) must have names of 1 to 64 characters.',
	],
	[
		{ ...send, options: { metadata: VALUE } },
		{ note: 'x'.repeat(512) },
		{ note: { deep: 1 } },
		'Metadata (metadata.note) must be text of at most 512 characters, a number, true, false or null.',
	],
	[{ ...upsert, title: VALUE }, text(255), text(256), 'Title (content_state.title) must be 1 to'],
	[
		{ ...upsert, activityType: 'alert', message: VALUE },
		text(4000),
		text(4001),
		'Message (content_state.message) must be 1 to 4000 characters long.',
	],
	[
		{ ...upsert, activityType: 'value', value: VALUE },
		text(64),
		text(65),
		'Value (content_state.value) must be 1 to 64 characters long.',
	],
	[
		{ ...upsert, activityType: 'timer', durationSeconds: VALUE },
		0.5,
		0,
		'Duration (Seconds) (content_state.duration_seconds) must be more than 0.',
	],
	[
		{ ...upsert, content: { currentValue: 1, upperLimit: VALUE } },
		0.5,
		0,
		'Upper Limit (content_state.upper_limit) must be more than 0.',
	],
	[{ ...upsert, percentage: VALUE }, 100, 101, 'Percentage (content_state.percentage) must be'],
	[
		{ ...upsert, content: { icon: VALUE } },
		text(128),
		text(129),
		'Icon (content_state.icon.symbol)',
	],
	[{ ...upsert, content: { subtitle: VALUE } }, text(255), text(256), 'Subtitle (content_state'],
	[
		{ ...upsert, content: { badgeTitle: VALUE } },
		text(64),
		text(65),
		'Badge Title (content_state.badge.title) must be 1 to 64 characters long.',
	],
	[
		{ ...upsert, options: { alertTitle: VALUE } },
		text(255),
		text(256),
		'Alert Title (alert.title)',
	],
	[{ ...upsert, options: { alertBody: VALUE } }, text(4000), text(4001), 'Alert Body (alert.body)'],
	[
		{ ...upsert, ...metric({ label: VALUE }) },
		text(64),
		text(65),
		'Metric 1: Label (content_state.metrics[0].label) must be 1 to 64 characters long.',
	],
	[
		{ ...upsert, ...metric({ value: VALUE }) },
		text(64),
		text(65),
		'Metric 1: Value (content_state',
	],
	[
		{ ...upsert, ...metric({ value: VALUE }) },
		0,
		-1,
		'Metric 1: Value (content_state.metrics[0].v',
	],
	[{ ...upsert, ...metric({ unit: VALUE }) }, text(64), text(65), 'Metric 1: Unit (content_state'],
	[{ ...update, activityId: VALUE }, text(64), text(65), 'Activity ID (activity_id) must be the'],
	[{ ...setValue, value: VALUE }, ` ${text(64)} `, text(65), 'Value (value) must be 1 to 64 char'],
])('%j', async (parameters, good, bad, said) => {
	const refused = await run(parameters, [good, bad, good]);

	expect([refused.error?.message, refused.error?.context['itemIndex']]).toEqual([
		expect.stringContaining(said),
		1,
	]);
	expect(service.requests).toEqual([]);
	expect((await run(parameters, [good])).error?.message).toBeUndefined();
});
