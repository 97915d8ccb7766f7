import type { INodeParameters } from 'n8n-workflow';

import { OpenNode } from '../engine/editor-lists.ts';
import { ACCOUNT, onlyItem, startBench, type Bench } from './bench.ts';

/** Send To, which every operation has that reaches phones; channels.test.ts has the options of version 1. */

let bench: Bench;

beforeAll(async () => {
	bench = await startBench({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_LISTS: '1000' });
});

afterAll(async () => {
	await bench.server.stop();
});

const node = { typeVersion: 2 };

const phones = async () => {
	const { baseUrl } = bench.server;
	const open = new OpenNode({}, { beckonApi: { baseUrl, apiKey: bench.key } });
	return (await open.search('searchPhones')).results;
};

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };

const activity = { title: 'T', activityType: 'alert', message: 'M' };

/** Every operation that reaches phones, and the place of the channels in its request. */
const OPERATIONS: Array<[string, INodeParameters, string]> = [
	['a push', send, 'target.channels'],
	['a question', { ...send, operation: 'sendAndWait' }, 'target.channels'],
	['the badge', { resource: 'badge', operation: 'set', badge: 1 }, 'target.channels'],
	['clearing the badge', { resource: 'badge', operation: 'clear' }, 'target.channels'],
	[
		'a Live Activity',
		{ resource: 'liveActivity', operation: 'upsert', streamKey: 'k', ...activity },
		'channels',
	],
	[
		'a question on a Live Activity',
		{ resource: 'liveActivity', operation: 'sendAndWait', streamKey: 'k', ...activity },
		'target.channels',
	],
	[
		'a Live Activity by ID',
		{ resource: 'liveActivityManual', operation: 'start', ...activity },
		'target.channels',
	],
];

/** The channels named by the newest message on the phone's server. */
const effective = (json: Record<string, unknown>) => json['effective_channel_slugs'];

test('the phones are offered by their name and their person', async () => {
	expect(await phones()).toEqual([
		{
			name: expect.stringMatching(/ \(.+\)$/) as string,
			value: expect.stringMatching(/^phone-[0-9a-f]{24}$/) as string,
		},
	]);
});

describe.each(OPERATIONS)('%s', (_what, parameters, place) => {
	const run = async (more: INodeParameters) =>
		await bench.run({ ...parameters, ...more }, { node });

	const isQuestion = parameters['operation'] === 'sendAndWait';

	test('goes to all phones of the key by default', async () => {
		const done = await run({});
		expect(done.error?.message).toBeUndefined();
		if (!isQuestion) expect(effective(onlyItem(done).json)).toBeNull();
	});

	test('goes to channels that are chosen', async () => {
		const done = await run({ sendTo: 'channels', channels: ['ops', 'sales'] });
		expect(done.error?.message).toBeUndefined();
		if (!isQuestion) expect(effective(onlyItem(done).json)).toEqual(['ops', 'sales']);
	});

	test('goes to one phone', async () => {
		const [phone] = await phones();
		const done = await run({
			sendTo: 'phone',
			phone: { __rl: true, mode: 'list', value: phone?.value ?? '' },
		});
		expect(done.error?.message).toBeUndefined();
		if (!isQuestion) expect(effective(onlyItem(done).json)).toEqual([phone?.value]);
	});

	test.each(['{{ $json.team }}', '{{ null }}', '{{ " \\n" }}'])(
		'is refused if the expression of the channels gives nothing: %j',
		async (expression) => {
			const done = await run({ sendTo: 'channels', channels: `=${expression}` });
			expect(done.error?.message).toContain(
				`Channel Names or IDs (${place}) must name at least one channel, but the expression ${expression} gave nothing`,
			);
		},
	);

	test('is refused if the expression of the phone gives nothing', async () => {
		const value = '={{ $json.phone }}';
		const done = await run({ sendTo: 'phone', phone: { __rl: true, mode: 'key', value } });
		expect(done.error?.message).toContain(
			`Phone (${place}) must name at least one phone, but the expression {{ $json.phone }} gave nothing`,
		);
	});
});

test('channels left over from another choice are not used', async () => {
	const done = await bench.run({ ...send, sendTo: 'all', channels: ['ops'] }, { node });
	expect(effective(onlyItem(done).json)).toBeNull();
});

test('an unknown channel is refused by the service', async () => {
	const done = await bench.run({ ...send, sendTo: 'channels', channels: ['nobody'] }, { node });
	expect(done.error?.message).toBe(
		'Channel Names or IDs (target.channels) does not match any channel of this account: nobody. Create it, or correct the slug.',
	);
});

test('nobody to send to points to Send To', async () => {
	await bench.server.createChannel(ACCOUNT, 'empty');
	const done = await bench.run({ ...send, sendTo: 'channels', channels: ['empty'] }, { node });
	expect(done.error?.description).toContain('check the recipients (Send To)');
});

test('an unknown phone is refused by the service', async () => {
	const phone = `phone-${'0'.repeat(24)}`;
	const done = await bench.run({ ...send, sendTo: 'phone', phone }, { node });
	expect(done.error?.message).toContain('Phone (target.channels) ');
	expect(done.error?.message).toContain(phone);
	expect(done.error?.description).toContain('Invalid channel targeting');
});
