import type { INodeParameters } from 'n8n-workflow';

import { agentWith } from '../engine/agent.ts';
import { startBench, type Bench } from './bench.ts';

/**
 * Without channels a message reaches every phone of the key, so an expression must name some. Version 1 of the node has
 * them among its options; recipients.test.ts is about the field Send To.
 */

let bench: Bench;

beforeAll(async () => {
	bench = await startBench({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});

afterAll(async () => {
	await bench.server.stop();
});

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };

/** Every operation that takes channels. */
const OPERATIONS: Array<[string, INodeParameters, string]> = [
	['a push', send, 'target.channels'],
	['a question', { ...send, operation: 'sendAndWait' }, 'target.channels'],
	['the badge', { resource: 'badge', operation: 'set', badge: 1 }, 'target.channels'],
	['clearing the badge', { resource: 'badge', operation: 'clear' }, 'target.channels'],
	[
		'a Live Activity',
		{
			resource: 'liveActivity',
			operation: 'upsert',
			streamKey: 'k',
			title: 'T',
			activityType: 'alert',
			message: 'M',
		},
		'channels',
	],
	[
		'a question on a Live Activity',
		{
			resource: 'liveActivity',
			operation: 'sendAndWait',
			streamKey: 'k',
			title: 'T',
			message: 'M',
		},
		'target.channels',
	],
	[
		'a Live Activity with an ID',
		{
			resource: 'liveActivityManual',
			operation: 'start',
			title: 'T',
			activityType: 'alert',
			message: 'M',
		},
		'target.channels',
	],
];

const says = (place: string, expression: string) =>
	`Channel Names or IDs (${place}) must name at least one channel, but the expression ${expression} gave nothing, and without channels the message would reach every phone of the key: correct the expression.`;

/** All that has reached the phone. */
async function onPhone() {
	const { server_time: _now, ...shown } = await bench.phone.snapshot();
	return [await bench.phone.inbox(), shown];
}

describe.each(OPERATIONS)('%s', (_what, parameters, place) => {
	test.each(['{{ $json.team }}', '{{ null }}', '{{ "" }}', '{{ " \\n" }}', ''])(
		'is not sent to everybody when the expression of the channels gives nothing: %j',
		async (expression) => {
			const before = await onPhone();

			const run = await bench.run({ ...parameters, options: { channels: `=${expression}` } });

			expect(run.error?.message).toBe(says(place, expression));
			expect(await onPhone()).toEqual(before);
		},
	);

	test.each(['={{ [] }}', '={{ [$json.team] }}'])(
		'nor when it gives an empty list: %j',
		async (channels) => {
			const run = await bench.run({ ...parameters, options: { channels } });

			expect(run.error?.message).toBe(
				`Channel Names or IDs (${place}) must name at least one channel, or be left out.`,
			);
		},
	);

	test('is sent to everybody when none is chosen', async () => {
		const run = await bench.run({ ...parameters, options: { channels: [] } });

		expect(run.error?.message).toBeUndefined();
	});
});

test('one item without channels keeps the others from being sent', async () => {
	const before = await onPhone();

	const run = await bench.run(
		{ ...send, options: { channels: '={{ $json.team }}' } },
		{ items: [{ team: 'ops' }, { tem: 'ops' }] },
	);

	expect(run.error?.message).toBe(says('target.channels', '{{ $json.team }}'));
	expect(await onPhone()).toEqual(before);
});

describe('an agent that uses the node as a tool', () => {
	async function call(words: Record<string, string>) {
		const agent = await agentWith(
			{ ...send, options: { channels: '={{ $fromAI("team", "", "string", "") }}' } },
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
