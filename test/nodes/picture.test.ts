import type { INodeParameters, NodeApiError } from 'n8n-workflow';

import { onlyItem, startBench, type Bench } from './bench.ts';

const PUBLIC = 'https://beckon.example.com';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 7, 7]);

const file = (bytes: Buffer, mimeType = 'image/jpeg') => ({
	data: { data: bytes.toString('base64'), mimeType, fileName: 'camera' },
});

const send: INodeParameters = {
	resource: 'pushNotification',
	operation: 'send',
	title: 'Somebody is at the door',
	options: { imageField: 'data' },
};

let bench: Bench;

beforeAll(async () => {
	bench = await startBench({ BECKON_PUBLIC_URL: PUBLIC, BECKON_RATE_IMAGES: '1000' });
});

afterAll(async () => {
	await bench.server.stop();
});

async function lastPush() {
	const last = (await bench.phone.inbox()).findLast(({ kind }) => kind === 'push');
	if (last?.kind !== 'push') throw new Error('No push arrived');
	return last.push;
}

async function inboxSize() {
	return (await bench.phone.inbox()).length;
}

test("an item's picture becomes the media of its push", async () => {
	onlyItem(await bench.run(send, { binary: file(JPEG) }));

	const { title, media = '' } = await lastPush();
	expect(title).toBe('Somebody is at the door');
	expect(media).toMatch(/^https:\/\/beckon\.example\.com\/images\/[\w-]{43}$/);
	const picture = await fetch(media.replace(PUBLIC, bench.server.url));
	expect(picture.headers.get('content-type')).toBe('image/jpeg');
	expect(Buffer.from(await picture.arrayBuffer()).equals(JPEG)).toBe(true);
});

test('a repeated push has its picture too', async () => {
	const options = { imageField: 'data', repeat: { values: { everyMinutes: 5, times: 1 } } };
	const { json } = onlyItem(await bench.run({ ...send, options }, { binary: file(JPEG) }));

	expect(json).toHaveProperty('repeat_id');
	expect((await lastPush()).media).toContain(`${PUBLIC}/images/`);
});

test('pushes with and without a picture keep the order of their items', async () => {
	const options = { imageField: '={{ $json.n % 2 ? "data" : "" }}' };
	const items = Array.from({ length: 6 }, (_, index) => ({ n: index + 1 }));
	const run = await bench.run(
		{ ...send, title: '=Item {{ $json.n }}', options },
		{ items, binary: file(JPEG) },
	);
	expect(run.error?.message).toBeUndefined();

	const titles = (await bench.phone.inbox()).flatMap((delivery) =>
		delivery.kind === 'push' ? [delivery.push.title] : [],
	);
	expect(titles.slice(-6)).toEqual(items.map(({ n }) => `Item ${n}`));
});

test.each<[string, INodeParameters, string]>([
	[
		'buttons',
		{
			actions: { button: [{ title: 'Open', type: 'open_url', url: 'https://example.com' }] },
		},
		'Image From Binary Field cannot be combined with Buttons; send one of the two.',
	],
	[
		'another media',
		{ options: { imageField: 'data', media: 'https://example.com/a.jpg' } },
		'Image From Binary Field cannot be combined with Media URL; send one of the two.',
	],
])(
	'a picture together with %s is refused before anything is sent',
	async (_what, parameters, words) => {
		const before = await inboxSize();
		const run = await bench.run({ ...send, ...parameters }, { binary: file(JPEG) });

		expect(run.error?.message).toBe(words);
		expect(run.error?.description).toContain('nothing was sent');
		expect(await inboxSize()).toBe(before);
	},
);

test('an item without the field is reported before any item is sent', async () => {
	const before = await inboxSize();
	const options = { imageField: '={{ $json.n === 2 ? "photo" : "data" }}' };
	const run = await bench.run(
		{ ...send, options },
		{ items: [{ n: 1 }, { n: 2 }], binary: file(JPEG) },
	);

	expect(run.error?.message).toContain('photo');
	expect(run.error?.message).toContain(
		'Image From Binary Field must name a file of the item (data), not photo.',
	);
	expect(await inboxSize()).toBe(before);
});

test.each<[string, Buffer, string]>([
	[
		'SVG',
		Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
		'Image From Binary Field must hold a JPEG, PNG, GIF or WebP picture: convert others, such as HEIC, first.',
	],
	[
		'HEIC',
		Buffer.from('\0\0\0\x18ftypheic'),
		'Image From Binary Field must hold a JPEG, PNG, GIF or',
	],
	['nothing', Buffer.alloc(0), 'Image From Binary Field must hold a JPEG, PNG, GIF or WebP'],
	[
		'a JPEG that is too large',
		Buffer.concat([JPEG, Buffer.alloc(5_000_000)]),
		"Image From Binary Field must hold at most 2 MB, but this is 5.0 MB: make the picture smaller first, as with n8n's Edit Image node.",
	],
])('of three items, %s in one keeps all from being sent', async (_what, bytes, words) => {
	const before = await inboxSize();
	const binary = { good: file(JPEG).data, bad: file(bytes).data };
	const options = { imageField: '={{ $json.n === 3 ? "bad" : "good" }}' };
	const items = [{ n: 1 }, { n: 2 }, { n: 3 }];

	const run = await bench.run({ ...send, options }, { items, binary });

	expect(run.error?.message).toContain(words);
	expect((run.error as NodeApiError).description).toContain('nothing was sent for any item');
	expect(run.error?.context['itemIndex']).toBe(2);
	expect(await inboxSize()).toBe(before);
});

test.each(['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', 'RIFF\n\0\0\nWEBPVP8 ', '\xff\xd8\xff\xdb'])(
	'the server takes what the node takes, whatever n8n calls it: %j',
	async (beginning) => {
		const binary = file(Buffer.from(beginning, 'latin1'), 'application/octet-stream');
		onlyItem(await bench.run(send, { binary }));
		expect((await lastPush()).media).toContain(`${PUBLIC}/images/`);
	},
);

test('a server without an https address says so', async () => {
	const plain = await startBench();
	try {
		const run = await plain.run(send, { binary: file(JPEG) });
		expect(run.error?.message).toContain('Set BECKON_PUBLIC_URL on the server');
	} finally {
		await plain.server.stop();
	}
});
