import { onlyItem, startBench, type Bench } from './bench.ts';

const send = { resource: 'pushNotification', operation: 'send' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

async function lastPush() {
	const delivery = (await bench.phone.inbox()).at(-1);
	return delivery?.kind === 'push' ? delivery.push : undefined;
}

test('a push needs only a title', async () => {
	const run = await bench.run({ ...send, title: 'Coffee is ready' });

	expect(onlyItem(run).json).toEqual({
		success: true,
		devices_notified: 1,
		users_notified: 1,
		effective_channel_slugs: null,
		timestamp: expect.any(String),
	});
	expect(await lastPush()).toEqual({
		title: 'Coffee is ready',
		interruption_level: 'active',
		sound: 'default',
	});
});

test('every field reaches the phone', async () => {
	const run = await bench.run({
		...send,
		title: 'Front door',
		message: 'Somebody is at the door',
		sendTo: 'channels',
		channels: 'ops',
		options: {
			badge: 3,
			icon: 'https://example.com/door.png',
			interruptionLevel: 'time-sensitive',
			media: 'https://example.com/door.jpg',
			metadata: '{"camera": 4, "night": true}',
			payload: '{"door": "front"}',
			redirection: 'homeapp://camera/4',
			sound: 'bell',
			subtitle: 'Camera 4',
			tags: 'home, door',
		},
	});

	expect(onlyItem(run).json).toMatchObject({
		effective_channel_slugs: ['ops'],
		tags: ['home', 'door'],
	});
	expect(await lastPush()).toEqual({
		title: 'Front door',
		message: 'Somebody is at the door',
		subtitle: 'Camera 4',
		icon: 'https://example.com/door.png',
		interruption_level: 'time-sensitive',
		media: 'https://example.com/door.jpg',
		redirection: 'homeapp://camera/4',
		payload: { door: 'front' },
		badge: 3,
		sound: 'bell',
		channels: ['ops'],
		tags: ['home', 'door'],
	});
});

test('buttons open a URL or call a webhook', async () => {
	const run = await bench.run({
		...send,
		title: 'Release 2.0?',
		actions: {
			button: [
				{ title: 'Open', type: 'open_url', url: 'https://example.com/release' },
				{
					title: 'Approve',
					type: 'webhook',
					url: 'https://example.com/approve',
					method: 'POST',
					body: '={{ { release: "2.0" } }}',
				},
				{ title: 'Ping', type: 'webhook', url: 'https://example.com/ping', method: 'GET' },
			],
		},
	});

	onlyItem(run);
	expect((await lastPush())?.actions).toEqual([
		{ title: 'Open', type: 'open_url', url: 'https://example.com/release' },
		{ title: 'Approve', type: 'webhook' },
		{ title: 'Ping', type: 'webhook' },
	]);
});

test('each item is a push of its own, and each output is paired with its input', async () => {
	const run = await bench.run(
		{ ...send, title: '={{ $json.title }}' },
		{ items: [{ title: 'one' }, { title: 'two' }, { title: 'three' }] },
	);

	expect(run.itemsOf('Beckon').map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	const titles = (await bench.phone.inbox())
		.slice(-3)
		.map((delivery) => (delivery.kind === 'push' ? delivery.push.title : undefined));
	expect(titles.sort()).toEqual(['one', 'three', 'two']);
});

test('without Parallel Requests pushes arrive in the order of their items', async () => {
	const titles = Array.from({ length: 40 }, (_, index) => ({ title: `#${index}` }));

	await bench.run({ ...send, title: '={{ $json.title }}' }, { items: titles });

	const arrived = (await bench.phone.inbox()).slice(-titles.length);
	expect(arrived).toMatchObject(titles.map((push) => ({ push })));
});

test.each([
	['{{ $now }}', /^\d{4}-\d\d-\d\dT\d\d:\d\d:/],
	['{{ new Date(0) }}', /^1970-01-01T00:00:00\.000Z$/],
])('%s alone is taken as its text', async (expression, text) => {
	onlyItem(await bench.run({ ...send, title: `=${expression}` }));

	expect((await lastPush())?.title).toMatch(text);
});

test.each([
	['a comma list', 'ops, sales'],
	['one a line', 'ops\nsales'],
	['an expression that gives an array', '={{ ["ops", "sales"] }}'],
	['the text of a JSON array', '["ops", "sales"]'],
])('channels are taken as %s', async (_form, channels) => {
	const run = await bench.run({ ...send, title: 'Hello', sendTo: 'channels', channels });

	expect(onlyItem(run).json['effective_channel_slugs']).toEqual(['ops', 'sales']);
});

test.each([
	['a comma list', 'deploy, env:production'],
	['one a line', 'deploy\n\n env:production \n'],
	['an expression that gives an array', '={{ ["deploy", "env:production"] }}'],
	['an array with missing entries', '={{ ["deploy", undefined, null, "env:production"] }}'],
])('tags are taken as %s', async (_form, tags) => {
	const run = await bench.run({ ...send, title: 'Hello', options: { tags } });

	expect(onlyItem(run).json['tags']).toEqual(['deploy', 'env:production']);
});

test('numbers and objects are taken as expressions give them', async () => {
	const run = await bench.run(
		{
			...send,
			title: '={{ $json.count }}',
			options: {
				badge: '={{ $json.count }}',
				payload: '={{ $json.order }}',
			},
		},
		{ items: [{ count: '7', order: { id: 42 } }] },
	);

	onlyItem(run);
	expect(await lastPush()).toMatchObject({ title: '7', badge: 7, payload: { id: 42 } });
});

test('payload and metadata are JSON, with expressions inside or as a whole', async () => {
	const run = await bench.run(
		{
			...send,
			title: 'Order',
			options: {
				payload: '={"shop": {"id": 1}, "order": {{ $json.id }}, "paid": {{ $json.paid }}}',
				metadata: '={{ { since: $json.since, code: "007", note: "" } }}',
			},
		},
		{ items: [{ id: 42, paid: false, since: '2026-01-31' }] },
	);

	onlyItem(run);
	expect(await lastPush()).toMatchObject({ payload: { shop: { id: 1 }, order: 42, paid: false } });
});

test.each([
	['[1]', 'Payload (payload) must be an object, written as JSON like {"order": 42}.'],
	['{"a": 1', 'Payload (payload) must be an object, written as JSON like {"order": 42}.'],
	['={{ "text" }}', 'Payload (payload) must be an object, written as JSON like {"order": 42}.'],
])('a payload that is no object is refused: %s', async (payload, message) => {
	const run = await bench.run({ ...send, title: 'Order', options: { payload } });

	expect(run.error?.message).toBe(message);
});

test('options that were added and left empty are not sent', async () => {
	const run = await bench.run({
		...send,
		title: 'Hello',
		message: '',
		actions: {},
		options: {
			icon: '',
			metadata: '',
			payload: '{}',
			subtitle: '',
			tags: '={{ undefined }}',
		},
	});

	expect(onlyItem(run).json).not.toHaveProperty('tags');
	expect(await lastPush()).toEqual({
		title: 'Hello',
		interruption_level: 'active',
		sound: 'default',
	});
});
