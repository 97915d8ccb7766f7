import { onlyItem, startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const content = { activityType: 'alert', title: 'Deploy', message: 'Done' };

test.each([
	['a push', { resource: 'pushNotification', operation: 'send', title: 'A' }],
	['a badge', { resource: 'badge', operation: 'set', badge: 1 }],
	[
		'a Live Activity',
		{ resource: 'liveActivity', operation: 'upsert', streamKey: 'deploy', ...content },
	],
])(
	'%s has the id of its history entry and the meaning of the counts',
	async (_what, parameters) => {
		const run = await bench.run({ ...parameters, options: { includeDetails: true } });

		expect(onlyItem(run).json).toMatchObject({
			delivery_details: {
				history_id: expect.stringMatching(/^\w{10,}/),
				counts: expect.stringContaining('Muted and quiet phones count, too.'),
			},
		});
	},
);

test('without the option, the output is the answer alone', async () => {
	const run = await bench.run({ resource: 'badge', operation: 'set', badge: 1 });

	expect(onlyItem(run).json).not.toHaveProperty('delivery_details');
});
