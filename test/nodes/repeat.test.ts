import { RecordingServer } from '../engine/recording-server.ts';
import { runBeckon } from '../engine/one-node.ts';
import { onlyItem, startBench, type Bench } from './bench.ts';
import { failureOf } from './failure.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const send = {
	resource: 'pushNotification',
	operation: 'send',
	title: 'Water in the cellar',
	options: { repeat: { values: { everyMinutes: 5, times: 3 } } },
};

const stop = { resource: 'pushNotification', operation: 'stopRepeating' };

test('a repeated push arrives, and its repeat_id stops it', async () => {
	const { json } = onlyItem(await bench.run(send));
	expect(json).toMatchObject({ success: true, devices_notified: 1 });
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		push: { title: 'Water in the cellar' },
	});

	const repeatId = json['repeat_id'] as string;
	const stopped = onlyItem(await bench.run({ ...stop, repeatId }));

	expect(stopped.json).toEqual({ success: true, repeat_id: repeatId, outcome: 'stopped' });
});

test('a push without the option is sent as ever', async () => {
	const { json } = onlyItem(await bench.run({ ...send, options: {} }));
	expect(json).not.toHaveProperty('repeat_id');
});

test('the whole push goes along, whatever the order of its options', async () => {
	const service = await RecordingServer.start();
	try {
		await runBeckon(
			{
				...send,
				sendTo: 'channels',
				channels: ['ops'],
				options: {
					...send.options,
					subtitle: 'House 7',
					tags: 'alarm',
					badge: 1,
				},
			},
			{ credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } } },
		);
		expect(service.requests).toEqual([
			{
				method: 'POST',
				path: '/api/push-notification/repeated',
				body: {
					push: {
						title: 'Water in the cellar',
						subtitle: 'House 7',
						target: { channels: ['ops'] },
						tags: ['alarm'],
						badge: 1,
					},
					repeat: { every_minutes: 5, times: 3 },
				},
			},
		]);
	} finally {
		service.stop();
	}
});

test.each([
	[{ everyMinutes: 0, times: 3 }, /Every|every_minutes/, 'must be between 1 and 60'],
	[{ everyMinutes: 5, times: 21 }, /Times|times/, 'must be between 1 and 20'],
	[{ everyMinutes: 5, times: 1.5 }, /Times|times/, 'must be a whole number'],
])('%j is found before sending', async (values, field, rule) => {
	const { message, description } = await failureOf(bench, {
		...send,
		options: { repeat: { values } },
	});
	expect(message).toMatch(field);
	expect(message).toContain(rule);
	expect(description).toContain('nothing was sent');
});

test('an id that names nothing is explained', async () => {
	const { message, description } = await failureOf(bench, { ...stop, repeatId: 'x'.repeat(32) });
	expect(message).toContain('There is no repeated push with this id');
	expect(description).toContain('Use the repeat_id output by the Send operation.');
});
