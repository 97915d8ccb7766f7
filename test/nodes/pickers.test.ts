import type { INodeParameters } from 'n8n-workflow';

import { OpenNode } from '../engine/editor-lists.ts';
import { onlyItem, startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench({ BECKON_RATE_LISTS: '1000' });
});

afterAll(async () => {
	await bench.server.stop();
});

const open = (
	parameters: INodeParameters = {},
	{ baseUrl = bench.server.baseUrl, apiKey = bench.key } = {},
) => new OpenNode(parameters, { beckonApi: { baseUrl, apiKey } });

const messageOf = async (loading: Promise<unknown>) =>
	await loading.then(
		() => 'nothing went wrong',
		(error: unknown) => (error as Error).message,
	);

describe('Channels', () => {
	it('offers the channels of the account', async () => {
		expect(await open().options('getChannels')).toEqual([
			{ name: 'ops', value: 'ops' },
			{ name: 'sales', value: 'sales' },
		]);
	});

	it.each<[string, unknown]>([
		['chosen from the list', ['ops', 'sales']],
		['given as a text with commas', '={{ "ops, sales" }}'],
		['given as an array', '={{ ["ops", "sales"] }}'],
	])('is sent when %s', async (_how, channels) => {
		const item = onlyItem(
			await bench.run({
				resource: 'pushNotification',
				operation: 'send',
				title: 'Hello',
				sendTo: 'channels',
				channels: channels as string[],
			}),
		);
		expect(item.json).toMatchObject({ effective_channel_slugs: ['ops', 'sales'] });
	});

	it('does not mean every phone when an expression finds none', async () => {
		const run = await bench.run({
			resource: 'pushNotification',
			operation: 'send',
			title: 'Hello',
			sendTo: 'channels',
			channels: '={{ [] }}',
		});
		expect(run.error?.message).toContain('must name at least one channel');
	});
});

describe('Metric Key', () => {
	it('offers the metrics of the account by name and key', async () => {
		const { results, paginationToken } = await open().search('searchMetrics');
		expect(results).toContainEqual({
			name: 'Revenue today (revenue.today)',
			value: 'revenue.today',
		});
		expect(paginationToken).toBeUndefined();
	});

	it('finds a metric by a part of its name or key, in any case', async () => {
		const found = async (words: string) =>
			(await open().search('searchMetrics', words)).results.map(({ value }) => value);
		expect(await found('REVENUE')).toEqual(['revenue.today']);
		expect(await found('u.lo')).toEqual(['cpu.load']);
		expect(await found('nothing like this')).toEqual([]);
	});

	it.each(['list', 'key'])('is sent when chosen in the mode %s', async (mode) => {
		const key = { __rl: true, mode, value: 'cpu.load' };
		onlyItem(await bench.run({ resource: 'metric', operation: 'setValue', key, value: '1' }));
	});

	it('is required, whatever an expression gives', async () => {
		const key = { __rl: true, mode: 'key', value: '={{ "" }}' };
		const run = await bench.run({ resource: 'metric', operation: 'setValue', key, value: '1' });
		expect(run.error?.message).toBe('Metric Key (key) is required.');
	});
});

describe('Stream Key', () => {
	it('offers the streams by the title they show, and takes a new one by its key', async () => {
		const streamKey = { __rl: true, mode: 'key', value: 'deploy' };
		const activity = { activityType: 'alert', title: 'Deploying', message: 'Step 1' };
		const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey, ...activity };
		onlyItem(await bench.run(upsert));

		expect(await open().search('searchStreams', 'deploying')).toEqual({
			results: [{ name: 'Deploying (deploy)', value: 'deploy' }],
		});
	});
});

describe('more than one page', () => {
	it('is read on from where the last one ended, until something is found', async () => {
		for (let stream = 0; stream < 3; stream += 1) {
			await fetch(`${bench.server.baseUrl}/live-activity/stream/many-${stream}`, {
				method: 'PUT',
				headers: { authorization: `Bearer ${bench.key}`, 'content-type': 'application/json' },
				body: JSON.stringify({
					content_state: { type: 'alert', title: `Number ${stream}`, message: 'x' },
				}),
			});
		}
		const { results } = await open().search('searchStreams', 'number 2', 'many-1');
		expect(results).toEqual([{ name: 'Number 2 (many-2)', value: 'many-2' }]);
	});
});

describe('a list that cannot be had', () => {
	it('says that the address is not that of the API', async () => {
		const node = open({}, { baseUrl: bench.server.baseUrl.replace(/\/api$/, '') });
		expect(await messageOf(node.options('getChannels'))).toMatch(
			/^The channels could not be listed\. .* Check the Base URL in the Beckon API credential\. It ends with \/api, .* Switch the field to an expression and write their slugs, separated by commas\.$/,
		);
		expect(await messageOf(node.search('searchMetrics'))).toMatch(
			/^The metrics could not be listed\. .* Choose By Key and enter the key\.$/,
		);
	});

	it('says that the key is wrong', async () => {
		const message = await messageOf(open({}, { apiKey: 'bk_wrong' }).search('searchStreams'));
		expect(message).toMatch(/^The streams could not be listed\. The API key is missing, wrong/);
		expect(message).not.toContain('bk_wrong');
	});

	it('says that nobody answers', async () => {
		const node = open({}, { baseUrl: 'http://127.0.0.1:9/api' });
		expect(await messageOf(node.options('getChannels'))).toMatch(
			/^The channels could not be listed\. Could not reach the Beckon server at http:\/\/127\.0\.0\.1:9\/api/,
		);
	});

	it('says when the allowance of lists returns, and costs no push', async () => {
		const small = await startBench({ BECKON_RATE_LISTS: '1' });
		try {
			const credentials = { beckonApi: { baseUrl: small.server.baseUrl, apiKey: small.key } };
			const node = new OpenNode({}, credentials);
			await node.options('getChannels');
			expect(await messageOf(node.options('getChannels'))).toMatch(
				/Rate limit account:lists exceeded/,
			);
			onlyItem(
				await small.run({ resource: 'pushNotification', operation: 'send', title: 'Hello' }),
			);
		} finally {
			await small.server.stop();
		}
	});
});
