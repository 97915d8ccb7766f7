import { onlyItem, startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const badgeOnPhone = async () => (await bench.phone.snapshot()).badge;

test('the badge is set', async () => {
	const run = await bench.run({ resource: 'badge', operation: 'set', badge: 5 });

	expect(onlyItem(run).json).toEqual({
		success: true,
		badge: 5,
		devices_updated: 1,
		users_updated: 1,
		effective_channel_slugs: null,
		timestamp: expect.any(String),
	});
	expect(await badgeOnPhone()).toBe(5);
});

test('the badge is cleared', async () => {
	await bench.run({ resource: 'badge', operation: 'set', badge: 5 });

	const run = await bench.run({ resource: 'badge', operation: 'clear' });

	expect(onlyItem(run).json).toMatchObject({ badge: 0 });
	expect(await badgeOnPhone()).toBe(0);
});

test('the badge may come from an expression, as a number or a text, and go to channels', async () => {
	const run = await bench.run(
		{
			resource: 'badge',
			operation: 'set',
			badge: '={{ $json.open }}',
			sendTo: 'channels',
			channels: 'ops',
		},
		{ items: [{ open: '12' }] },
	);

	expect(onlyItem(run).json).toMatchObject({ badge: 12, effective_channel_slugs: ['ops'] });
});
