import type { INodeParameters } from 'n8n-workflow';

import { startBench, type Bench } from './bench.ts';
import { failureOf } from './failure.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const listing = (resource: string, more: INodeParameters = {}) => ({
	resource,
	operation: 'getAll',
	...more,
});

async function listed(parameters: INodeParameters) {
	const run = await bench.run(parameters);
	expect(run.error?.message).toBeUndefined();
	return run.itemsOf('Beckon').map(({ json }) => json);
}

async function api(method: string, path: string, body: object): Promise<Record<string, string>> {
	const response = await fetch(`${bench.server.baseUrl}${path}`, {
		method,
		headers: { authorization: `Bearer ${bench.key}`, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(response.status).toBe(200);
	return (await response.json()) as Record<string, string>;
}

const state = (title: string) => ({ content_state: { type: 'alert', title, message: 'x' } });

test('channels have their name, each as an item of its input', async () => {
	const run = await bench.run(listing('channel'));

	expect(run.itemsOf('Beckon')).toEqual([
		{ json: { slug: 'ops', name: 'ops' }, pairedItem: { item: 0 } },
		{ json: { slug: 'sales', name: 'sales' }, pairedItem: { item: 0 } },
	]);
});

test('metrics have their name and format', async () => {
	expect(await listed(listing('metric'))).toContainEqual(
		expect.objectContaining({ key: 'revenue.today', name: 'Revenue today' }),
	);
});

test('Live Activities have their title and status', async () => {
	await api('PUT', '/live-activity/stream/deploy', state('Deploying'));

	expect(await listed(listing('liveActivity'))).toEqual([
		{ stream_key: 'deploy', title: 'Deploying', status: 'running' },
	]);
});

test('triggers have their name, and whether somebody listens', async () => {
	const id = `trg_${'a'.repeat(43)}`;
	await api('PUT', `/triggers/${id}`, { name: 'Ship it', session: 's'.repeat(32) });

	expect(await listed(listing('trigger'))).toEqual([
		{ trigger_id: id, name: 'Ship it', listening: true },
	]);
});

describe('questions', () => {
	const COUNT = 60;

	beforeAll(async () => {
		for (let n = 1; n <= COUNT; n += 1) {
			await api('POST', '/questions', { title: `Question ${n}`, text: {} });
		}
	});

	test('that are open are listed, the newest first, up to 50 by default', async () => {
		const found = await listed(listing('question'));

		expect(found).toHaveLength(50);
		expect(found[0]).toMatchObject({ title: `Question ${COUNT}`, status: 'open' });
	});

	test('a limit ends the list', async () => {
		const found = await listed(listing('question', { limit: 3 }));

		expect(found.map(({ title }) => title)).toEqual([
			`Question ${COUNT}`,
			`Question ${COUNT - 1}`,
			`Question ${COUNT - 2}`,
		]);
	});

	test.each<[string, INodeParameters]>([
		['with a limit beyond the first page', { limit: 1000 }],
		['with Return All', { returnAll: true }],
	])('of all pages are listed %s', async (_how, more) => {
		const found = await listed(listing('question', more));

		expect(new Set(found.map(({ question_id: id }) => id)).size).toBe(COUNT);
	});

	test('each item of the input has its own list', async () => {
		const run = await bench.run(listing('question', { limit: '={{ $json.n }}' }), {
			items: [{ n: 1 }, { n: 2 }],
		});

		expect(run.itemsOf('Beckon').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 1 },
		]);
	});
});

test.each([0, 1001, 1.5])('a limit of %d is refused before anything is sent', async (limit) => {
	const { message, description } = await failureOf(bench, listing('channel', { limit }));

	expect(message).toMatch(/^Limit must be /);
	expect(description).toMatch(/^Found before sending/);
});

test('a wrong key is explained', async () => {
	const run = await bench.run(listing('channel'), { key: 'bk_wrong' });

	expect(run.error?.message).toMatch(/^The API key is missing, wrong/);
});

test('lists use an allowance of their own', async () => {
	const small = await startBench({ BECKON_RATE_LISTS: '1' });
	try {
		const first = await small.run(listing('channel', { options: { longestWait: 0 } }));
		const second = await small.run(listing('metric', { options: { longestWait: 0 } }));
		const push = { resource: 'pushNotification', operation: 'send', title: 'Hello' };

		expect(first.status).toBe('success');
		expect(second.error?.description).toMatch(/^The allowance resets in /);
		expect((await small.run(push)).status).toBe('success');
	} finally {
		await small.server.stop();
	}
});
