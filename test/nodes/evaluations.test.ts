import type { INodeParameters } from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { runBeckon } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';

/** Evaluating expressions is what costs n8n time, so each is evaluated once per item. */

const ITEMS = 10;

/** n8n evaluates every expression here; its type hides the method. */
const expressions = n8n.Expression.prototype as unknown as {
	renderExpression: (expression: string) => unknown;
};

let service: RecordingServer;

beforeAll(async () => {
	service = await RecordingServer.start();
});

afterAll(() => {
	service.stop();
});

afterEach(() => {
	jest.restoreAllMocks();
});

/** The number of evaluations for one item. */
async function evaluationsFor(parameters: INodeParameters): Promise<number> {
	const rendered = jest.spyOn(expressions, 'renderExpression');
	const run = await runBeckon(parameters, {
		items: Array.from({ length: ITEMS }, (_, n) => ({ n: String(n) })),
		credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
	});
	expect([run.status, run.error?.message]).toEqual(['success', undefined]);
	// The credential's Authorization header is an expression too.
	const own = rendered.mock.calls.filter(([expression]) => expression.includes('$json'));
	return own.length / ITEMS;
}

const n = '={{ $json.n }}';

test.each<[string, number, INodeParameters]>([
	['no expression', 0, { title: 'T' }],
	['one', 1, { title: n }],
	['one at the top and two under Options', 3, { title: n, options: { subtitle: n, sound: n } }],
	[
		'four, one of them inside a button',
		4,
		{
			title: n,
			message: n,
			actions: { button: [{ title: n, type: 'open_url', url: 'https://example.com' }] },
			options: { subtitle: n },
		},
	],
	[
		'media, which is looked at together with the buttons',
		2,
		{ title: n, options: { media: '=https://example.com/{{ $json.n }}' } },
	],
	[
		'the type of a Live Activity, on which the shown fields depend',
		3,
		{
			resource: 'liveActivity',
			operation: 'upsert',
			streamKey: '=s{{ $json.n }}',
			activityType: '={{ $json.n === "0" ? "value" : "alert" }}',
			title: n,
			message: 'M',
			value: 'V',
		},
	],
	[
		'an expression in a field that is not shown',
		1,
		{ title: n, streamKey: n, activityId: n, percentage: n },
	],
])('%s: evaluated %i times per item', async (_what, times, parameters) => {
	expect(await evaluationsFor({ operation: 'send', ...parameters })).toBe(times);
});
