import type { OnError } from 'n8n-workflow';

import { startBench, type Bench } from './bench.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

/** An output has no description, so the error is all of it. */
const WHOLE = 'Title (title) is required. Found before sending: nothing was sent for this item.';

const parameters = { ...send, title: '={{ $json.title }}' };
const items = [{ title: 'one' }, { title: '', order: 42 }, { title: 'three' }];

test('the other items are sent, and the error is an item paired with its input', async () => {
	const run = await bench.run(parameters, { items, node: { onError: 'continueRegularOutput' } });

	const output = run.itemsOf('Beckon');
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(output[1]?.json).toEqual({ error: WHOLE });
	expect(output[2]?.json).toMatchObject({ success: true });
});

test('the error may have an output of its own, where it joins the fields of its input', async () => {
	const run = await bench.run(parameters, { items, node: { onError: 'continueErrorOutput' } });

	expect(run.itemsOf('Beckon', 0).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 2 },
	]);
	expect(run.itemsOf('Beckon', 1)).toEqual([
		{
			json: { title: '', order: 42, error: WHOLE },
			pairedItem: { item: 1 },
		},
	]);
});

test('what the service refuses joins the fields of its input, too', async () => {
	const run = await bench.run(
		{ ...send, title: 'Hello', sendTo: 'channels', channels: '={{ $json.channel }}' },
		{ items: [{ channel: 'nobody' }], node: { onError: 'continueErrorOutput' } },
	);

	expect(run.itemsOf('Beckon', 1)).toEqual([
		{
			json: {
				channel: 'nobody',
				error: expect.stringMatching(/nobody.*Create it.*\(HTTP 400/) as string,
			},
			pairedItem: { item: 0 },
		},
	]);
});

test('a question that cannot be asked joins the fields of its input, too', async () => {
	const run = await bench.run(
		{ resource: 'pushNotification', operation: 'sendAndWait', title: '={{ $json.title }}' },
		{ items: [{ title: '', order: 42 }], node: { onError: 'continueErrorOutput' } },
	);

	expect(run.itemsOf('Beckon', 1)).toEqual([
		{
			json: { title: '', order: 42, error: WHOLE.replace('this item', 'any item') },
			pairedItem: { item: 0 },
		},
	]);
});

test.each<[OnError, number, object]>([
	['continueRegularOutput', 0, { error: WHOLE }],
	['continueErrorOutput', 1, { title: '', error: WHOLE }],
])('with %s, Retry On Fail does not send again what has arrived', async (onError, output, json) => {
	const before = (await bench.phone.inbox()).length;

	const run = await bench.run(parameters, {
		items: [{ title: '' }, { title: 'only once' }],
		node: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});

	expect((await bench.phone.inbox()).length).toBe(before + 1);
	expect(run.itemsOf('Beckon', output)[0]?.json).toEqual(json);
});
