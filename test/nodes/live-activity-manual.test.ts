import type { INodeParameters } from 'n8n-workflow';

import { ACCOUNT, onlyItem, startBench, type Bench } from './bench.ts';

const manual = { resource: 'liveActivityManual' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

async function start(parameters: INodeParameters): Promise<string> {
	const run = await bench.run({ ...manual, operation: 'start', ...parameters });
	return onlyItem(run).json['activity_id'] as string;
}

async function change(
	operation: 'update' | 'end',
	activityId: string,
	parameters: INodeParameters = {},
) {
	return onlyItem(await bench.run({ ...manual, operation, activityId, ...parameters })).json;
}

async function shown(activityId: string) {
	const { activities } = await bench.phone.snapshot();
	return activities.find((activity) => activity.activity_id === activityId);
}

const progress = { activityType: 'progress', title: 'Print', percentage: 5 };

test('a Live Activity is started, updated and ended by its ID', async () => {
	const id = await start(progress);
	expect((await shown(id))?.content_state).toEqual({
		type: 'progress',
		title: 'Print',
		percentage: 5,
	});

	expect(await change('update', id, { activityType: 'progress', percentage: 50 })).toEqual({
		success: true,
		activity_id: id,
		devices_notified: 1,
		devices_queued: 0,
		timestamp: expect.any(String),
	});
	expect((await shown(id))?.content_state).toEqual({
		type: 'progress',
		title: 'Print',
		percentage: 50,
	});

	await change('end', id, { title: 'Printed' });
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		kind: 'activity_end',
		activity: { activity_id: id, content_state: { title: 'Printed', percentage: 50 } },
	});
});

test('a start takes channels, tags, metadata, buttons and an alert', async () => {
	const run = await bench.run({
		...manual,
		operation: 'start',
		...progress,
		content: {
			action: { button: { title: 'Stop', type: 'webhook', url: 'https://example.com/stop' } },
		},
		sendTo: 'channels',
		channels: 'ops',
		options: {
			tags: 'printer',
			metadata: '={{ { printer: 2 } }}',
			alertTitle: 'Printing',
		},
	});

	const { json } = onlyItem(run);
	expect(json).toMatchObject({ effective_channel_slugs: ['ops'], tags: ['printer'] });
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		kind: 'activity_start',
		alert: { title: 'Printing' },
		activity: { action: { title: 'Stop', type: 'webhook' } },
	});
	await change('end', json['activity_id'] as string);
});

test('updates and ends keep, replace and clear tags', async () => {
	const id = await start({ ...progress, options: { tags: 'a, b' } });
	const tagsInHistory = async () => (await bench.server.history(ACCOUNT))[0]?.tags;

	await change('update', id, { activityType: 'progress', percentage: 6 });
	expect(await tagsInHistory()).toEqual(['a', 'b']);

	await change('update', id, { activityType: 'keep', options: { tags: 'c' } });
	expect(await tagsInHistory()).toEqual(['c']);

	await change('end', id, { options: { clearTags: true } });
	expect(await tagsInHistory()).toEqual([]);
});

test('an end says when to leave the lock screen', async () => {
	const id = await start(progress);

	await change('end', id, { options: { autoDismissMinutes: 0 } });

	const { dismiss_at: dismissAt, updated_at: endedAt } = (await bench.phone.inbox())
		.flatMap((delivery) => ('activity' in delivery ? [delivery.activity] : []))
		.findLast((activity) => activity.activity_id === id)!;
	expect(dismissAt).toBe(endedAt);
});

test('an update of an iPhone that has not sent its token yet is queued', async () => {
	await bench.server.createAccount('iphones');
	const key = await bench.server.createKey('iphones');
	await bench.server.pairPhone('iphones', 'ios');
	const started = onlyItem(
		await bench.run({ ...manual, operation: 'start', ...progress }, { key }),
	);

	const run = await bench.run(
		{
			...manual,
			operation: 'update',
			activityId: started.json['activity_id'] as string,
			activityType: 'progress',
			percentage: 9,
		},
		{ key },
	);

	expect(onlyItem(run).json).toMatchObject({ devices_queued: 1, devices_notified: 0 });
});
