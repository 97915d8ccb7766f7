import type { INodeParameters } from 'n8n-workflow';

import { agentWith } from '../engine/agent.ts';
import { OpenNode } from '../engine/editor-lists.ts';
import { ACCOUNT, onlyItem, startBench, type Bench } from './bench.ts';

/** Send To, which every operation has that reaches phones. */

let bench: Bench;

beforeAll(async () => {
	bench = await startBench({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_LISTS: '1000' });
});

afterAll(async () => {
	await bench.server.stop();
});

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

/** All that has reached the phone. */
async function onPhone() {
	const { server_time: _now, ...shown } = await bench.phone.snapshot();
	return [await bench.phone.inbox(), shown];
}

const says = (place: string, expression: string) =>
	`Channel Names or IDs (${place}) must name at least one channel, but the expression ${expression} gave nothing, and without channels the message would reach every phone of the key: correct the expression.`;

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
	const run = async (more: INodeParameters) => await bench.run({ ...parameters, ...more });

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

	test.each([
		'={{ "channels" }}',
		'={{ "phone" }}',
		'={{ "all" }}',
		'={{ $json.nope }}',
		'={{ undefined }}',
		'channel',
		'Channels',
		'all ',
		'',
		null,
		5,
		['channels'],
	])('goes to nobody if Send To is not in its list: %j', async (sendTo) => {
		const before = (await bench.phone.inbox()).length;
		const done = await run({ sendTo, channels: ['ops'], phone: 'phone-x' });
		expect(done.error?.message).toContain('Send To');
		expect(await bench.phone.inbox()).toHaveLength(before);
	});

	test.each(['{{ $json.team }}', '{{ null }}', '{{ "" }}', '{{ " \\n" }}', ''])(
		'is not sent to everybody if the expression of the channels gives nothing: %j',
		async (expression) => {
			const before = await onPhone();
			const done = await run({ sendTo: 'channels', channels: `=${expression}` });
			expect(done.error?.message).toBe(says(place, expression));
			expect(await onPhone()).toEqual(before);
		},
	);

	test.each(['={{ [] }}', '={{ [$json.team] }}'])(
		'nor if it gives an empty list: %j',
		async (channels) => {
			const done = await run({ sendTo: 'channels', channels });
			expect(done.error?.message).toBe(
				`Channel Names or IDs (${place}) must name at least one channel, or be left out.`,
			);
		},
	);

	test('is refused in a node of another version, of which n8n has dropped the recipients', async () => {
		const before = await onPhone();
		const options = { ...parameters, options: { channels: ['ops'] } };
		const done = await bench.run(options, { node: { typeVersion: 1 } });
		expect(done.error?.message).toBe('This node is of version 1, but version 2 is installed');
		expect(await onPhone()).toEqual(before);
	});

	test('is refused if the expression of the phone gives nothing', async () => {
		const value = '={{ $json.phone }}';
		const done = await run({ sendTo: 'phone', phone: { __rl: true, mode: 'key', value } });
		expect(done.error?.message).toContain(
			`Phone (${place}) must name at least one phone, but the expression {{ $json.phone }} gave nothing`,
		);
	});
});

test('channels left over from another choice are not used', async () => {
	const done = await bench.run({ ...send, sendTo: 'all', channels: ['ops'] });
	expect(effective(onlyItem(done).json)).toBeNull();
});

test('an unknown channel is refused by the service', async () => {
	const done = await bench.run({ ...send, sendTo: 'channels', channels: ['nobody'] });
	expect(done.error?.message).toBe(
		'Channel Names or IDs (target.channels) does not match any channel of this account: nobody. Create it, or correct the slug.',
	);
});

test('nobody to send to points to Send To', async () => {
	await bench.server.createChannel(ACCOUNT, 'empty');
	const done = await bench.run({ ...send, sendTo: 'channels', channels: ['empty'] });
	expect(done.error?.description).toContain('check the recipients (Send To)');
});

test('an unknown phone is refused by the service', async () => {
	const phone = `phone-${'0'.repeat(24)}`;
	const done = await bench.run({ ...send, sendTo: 'phone', phone });
	expect(done.error?.message).toBe(
		`Phone (target.channels) does not match any phone of this account: ${phone}. It may have been removed: choose another.`,
	);
	expect(done.error?.description).toContain('Invalid channel targeting');
});

test('one item without channels keeps the others from being sent', async () => {
	const before = await onPhone();

	const run = await bench.run(
		{ ...send, sendTo: 'channels', channels: '={{ $json.team }}' },
		{ items: [{ team: 'ops' }, { tem: 'ops' }] },
	);

	expect(run.error?.message).toBe(says('target.channels', '{{ $json.team }}'));
	expect(await onPhone()).toEqual(before);
});

describe('an agent that uses the node as a tool', () => {
	async function call(words: Record<string, string>) {
		const agent = await agentWith(
			{ ...send, sendTo: 'channels', channels: '={{ $fromAI("team", "", "string", "") }}' },
			{ beckonApi: { baseUrl: bench.server.baseUrl, apiKey: bench.key } },
		);
		return await agent(words);
	}

	test('reaches the channels that it names', async () => {
		expect(await call({ team: 'ops' })).toMatchObject([
			[{ json: { effective_channel_slugs: ['ops'] } }],
		]);
	});

	test.each<Record<string, string>>([{ team: '' }, { team: ' ' }, {}])(
		'names some: %j is refused',
		async (words) => {
			await expect(call(words)).rejects.toThrow(
				'must name at least one channel, but the expression',
			);
		},
	);
});
