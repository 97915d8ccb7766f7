import { startBench, type Bench } from './bench.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const parameters = { ...send, title: '={{ $json.title }}' };
const items = [{ title: 'one' }, { title: '' }, { title: 'three' }];

test('the other items are sent, and the error is an item paired with its input', async () => {
	const run = await bench.run(parameters, { items, node: { onError: 'continueRegularOutput' } });

	const output = run.itemsOf('Beckon');
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(output[1]?.json).toEqual({ error: 'title is required.' });
	expect(output[2]?.json).toMatchObject({ success: true });
});

test('the error may have an output of its own', async () => {
	const run = await bench.run(parameters, { items, node: { onError: 'continueErrorOutput' } });

	expect(run.itemsOf('Beckon', 0).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 2 },
	]);
	expect(run.itemsOf('Beckon', 1)[0]).toMatchObject({
		json: { error: 'title is required.' },
		pairedItem: { item: 1 },
	});
});

test('Retry On Fail does not send again what has arrived', async () => {
	const before = (await bench.phone.inbox()).length;

	await bench.run(parameters, {
		items: [{ title: '' }, { title: 'only once' }],
		node: {
			onError: 'continueRegularOutput',
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
		},
	});

	expect((await bench.phone.inbox()).length).toBe(before + 1);
});
