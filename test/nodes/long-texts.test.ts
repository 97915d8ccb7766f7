import type { INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';
import { RecordingServer } from '../engine/recording-server.ts';

let service: RecordingServer;

beforeAll(async () => {
	service = await RecordingServer.start();
});

afterAll(() => {
	service.stop();
});

beforeEach(() => {
	service.requests.length = 0;
});

/** Longer than any text may be; 💡 is one character, of two units. */
const LONG = '💡'.repeat(20_000);

const run = async (parameters: INodeParameters, items: Array<{ text: string }>) =>
	await runBeckon(parameters, {
		items,
		credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
	});

const text = '={{ $json.text }}';
const upsert = { resource: 'liveActivity', operation: 'upsert', streamKey: 'k' };

test.each<[string, INodeParameters, string, number]>([
	['title', { operation: 'send', title: text }, 'title', 255],
	['subtitle', { operation: 'send', title: 'T', options: { subtitle: text } }, 'subtitle', 255],
	["question's title", { operation: 'sendAndWait', title: text }, 'title', 255],
	["activity's title", { ...upsert, title: text, percentage: 1 }, 'content_state.title', 255],
	['value', { ...upsert, activityType: 'value', value: text }, 'content_state.value', 64],
	['alert', { ...upsert, percentage: 1, options: { alertTitle: text } }, 'alert.title', 255],
])(
	'a %s that is too long is cut, and the execution says so',
	async (_what, parameters, path, most) => {
		const { run: ran } = await run(parameters, [{ text: ` ${LONG} ` }]);

		const [sent] = service.requests;
		expect(sent?.body).toHaveProperty(path, `${'💡'.repeat(most - 1)}…`);
		if (parameters['operation'] === 'sendAndWait') return;
		expect(ran.data.resultData.runData['Beckon']?.[0]?.hints).toEqual([
			{
				message: `Cut ${path}, which is longer than the server takes. The option If Too Long can refuse it instead.`,
				location: 'outputPane',
			},
		]);
	},
);

test('messages are cut at their own limit, and others stay as they are', async () => {
	await run({ operation: 'send', title: 'T', message: text }, [
		{ text: LONG },
		{ text: ' as is ' },
	]);

	const [cut, whole] = service.requests.map(({ body }) => (body as { message: string }).message);
	expect(Array.from(cut ?? '').length).toBeGreaterThanOrEqual(4_000);
	expect(cut).toMatch(/💡…$/u);
	expect(whole).toBe(' as is ');
});

test('with Refuse, one text that is too long keeps all items from being sent', async () => {
	const parameters = { operation: 'send', title: text, options: { ifTooLong: 'refuse' } };
	const { error } = await run(parameters, [{ text: 'short' }, { text: LONG }]);

	expect(error?.message).toBe('Title (title) must be 1 to 255 characters long.');
	expect(service.requests).toEqual([]);
});

test('what names something is not cut', async () => {
	const { error } = await run({ operation: 'send', title: 'T', options: { sound: text } }, [
		{ text: LONG },
	]);

	expect(error?.message).toContain('Sound (sound) must be');
	expect(service.requests).toEqual([]);
});
