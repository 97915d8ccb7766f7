import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { RecordingServer } from '../../engine/recording-server.ts';

/** Further attempts with the recipients that an expression gives, in every operation that reaches phones. */

const PHONE = 'phone-5f0c1e0a6a534f0e9d0b6c6b';

let service: RecordingServer;
beforeAll(async () => {
	service = await RecordingServer.start({
		body: () => ({ success: true, activity_id: 'a', operation: 'started' }),
	});
});
afterAll(() => {
	service.stop();
});

const alert = { activityType: 'alert', title: 'T', message: 'M' };
const OPERATIONS: Record<string, INodeParameters> = {
	'sets a badge': { resource: 'badge', operation: 'set', badge: 5 },
	'clears the badge': { resource: 'badge', operation: 'clear' },
	'starts a Live Activity': { resource: 'liveActivityManual', operation: 'start', ...alert },
	'updates a stream': {
		resource: 'liveActivity',
		operation: 'upsert',
		streamKey: 'deploy',
		...alert,
	},
};

/** What an expression may give as the channels, and which of them may be named. */
const CHANNELS: Array<[string, unknown, string[]]> = [
	['nothing', undefined, []],
	['null', null, []],
	['an empty text', '', []],
	['a blank that nobody sees', '\u200B', []],
	['an empty list', [], []],
	['a list of nothing', [null, undefined, ''], []],
	['an object without names', {}, []],
	['a list in a list', [['ops']], ['ops']],
	// As any value: a channel of this name, which the server does not know.
	['no', false, ['false']],
	['a number', 0, ['0']],
	['a channel', 'ops', ['ops']],
	['a channel twice', ['ops', 'ops'], ['ops']],
	['a channel and nothing', 'ops, ,', ['ops']],
];

/** Runs the node. @returns the channels that were sent, in each request, and the error */
async function run(parameters: INodeParameters, it: unknown) {
	service.requests.length = 0;
	const credentials = { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } };
	const items = [{ it } as IDataObject];
	const { error } = await runBeckon(parameters, { items, credentials }).catch((cause: unknown) => ({
		error: cause as Error,
	}));
	const sent = service.requests.map(({ body }) => {
		const { channels, target } = body as { channels?: unknown; target?: { channels?: unknown } };
		return channels ?? target?.channels;
	});
	return { sent, error };
}

describe.each(Object.keys(OPERATIONS))(
	'a node that %s reaches more than its author meant',
	(what) => {
		test.each(CHANNELS)('if an expression gives %s as its channels', async (_what, it, meant) => {
			const given = { ...OPERATIONS[what], sendTo: 'channels', channels: '={{ $json.it }}' };
			const { sent, error } = await run(given, it);
			// Refused, or exactly what was meant: without channels, it would reach every phone of the key.
			for (const channels of sent) expect(channels).toEqual(meant);
			for (const channels of sent) expect(channels).not.toEqual([]);
			expect(sent.length === 1).toBe(error === undefined);
		});

		test.each<[string, unknown]>([
			['nothing', undefined],
			['an empty text', ''],
			['a channel', 'ops'],
			['two phones', `${PHONE},${PHONE}`],
			['all', 'all'],
			['a list', [PHONE]],
			['an object', { value: PHONE }],
		])('if an expression gives %s as its phone', async (_what, it) => {
			const phone = { __rl: true, mode: 'id', value: '={{ $json.it }}' };
			const { sent, error } = await run({ ...OPERATIONS[what], sendTo: 'phone', phone }, it);
			for (const channels of sent) expect(channels).toEqual([PHONE]);
			expect(sent.length === 1).toBe(error === undefined);
		});

		test.each(['', 'Channels', 'none', 'toString'])('by Send To %j', async (sendTo) => {
			const { sent } = await run({ ...OPERATIONS[what], sendTo, channels: ['ops'] }, 'ops');
			expect(sent).toEqual([]);
		});
	},
);
