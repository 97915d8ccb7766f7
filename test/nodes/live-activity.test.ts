import type { INodeParameters } from 'n8n-workflow';

import type { Delivery } from '../../server/src/contract/device.ts';
import { ACCOUNT, onlyItem, startBench, type Bench } from './bench.ts';

const upsert = { resource: 'liveActivity', operation: 'upsert' };
const end = { resource: 'liveActivity', operation: 'end' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

async function put(streamKey: string, parameters: INodeParameters) {
	return onlyItem(await bench.run({ ...upsert, streamKey, ...parameters })).json;
}

async function shown(streamKey: string) {
	const { activities } = await bench.phone.snapshot();
	return activities.find((activity) => activity.stream_key === streamKey && !activity.dismiss_at);
}

function activityIn(delivery: Delivery | undefined) {
	return delivery && 'activity' in delivery ? delivery.activity : undefined;
}

async function finish(streamKey: string) {
	await bench.run({ ...end, streamKey });
}

test('a progress needs only a title and a percentage, and the same key updates it', async () => {
	const started = await put('backup', {
		activityType: 'progress',
		title: 'Backup',
		percentage: 10,
	});
	const updated = await put('backup', {
		activityType: 'progress',
		title: 'Backup',
		percentage: 60,
	});
	const repeated = await put('backup', {
		activityType: 'progress',
		title: 'Backup',
		percentage: 60,
	});

	expect(started).toMatchObject({
		operation: 'started',
		stream_key: 'backup',
		devices_notified: 1,
	});
	expect(updated).toMatchObject({ operation: 'updated', activity_id: started['activity_id'] });
	expect(repeated).toMatchObject({ operation: 'noop' });
	expect((await shown('backup'))?.content_state).toEqual({
		type: 'progress',
		title: 'Backup',
		percentage: 60,
	});
	await finish('backup');
});

const additional = { subtitle: 'eu-1', icon: 'bolt.fill', iconColor: 'yellow', color: 'cyan' };
const common = { subtitle: 'eu-1', icon: { symbol: 'bolt.fill', color: 'yellow' }, color: 'cyan' };
const badgeFields = { badgeTitle: 'Beta', badgeColor: 'magenta' };
const badge = { title: 'Beta', color: 'magenta' };

const TYPES: Array<[string, INodeParameters, object]> = [
	[
		'segmented_progress',
		{
			currentStep: 2,
			numberOfSteps: 3,
			content: { ...additional, ...badgeFields, stepColor: 'lime', stepPalette: 'lime, orange' },
		},
		{
			current_step: 2,
			number_of_steps: 3,
			step_color: 'lime',
			step_colors: ['lime', 'orange'],
			badge,
		},
	],
	[
		'progress',
		{ content: { ...additional, ...badgeFields, currentValue: 5, upperLimit: 20 } },
		{ percentage: 25, value: 5, upper_limit: 20, badge },
	],
	[
		'metrics',
		{
			metrics: {
				metric: [
					{ label: 'CPU', value: '42', unit: '%', color: 'lime' },
					{ label: 'State', value: 'fine', unit: '', color: '' },
				],
			},
			content: additional,
		},
		{
			metrics: [
				{ label: 'CPU', value: 42, unit: '%', color: 'lime' },
				{ label: 'State', value: 'fine' },
			],
		},
	],
	[
		'stats',
		{ metrics: { metric: [{ label: 'Sales', value: '={{ 7 }}' }] }, content: additional },
		{ metrics: [{ label: 'Sales', value: 7 }] },
	],
	[
		'alert',
		{ message: 'Disk full', content: { ...additional, ...badgeFields } },
		{ message: 'Disk full', badge },
	],
	[
		'value',
		{ value: '21.5 °C', content: { ...additional, ...badgeFields } },
		{ value: '21.5 °C', badge },
	],
	[
		'timer',
		{ durationSeconds: 600, content: { ...additional, countsDown: true, isRunning: false } },
		{
			timer: expect.objectContaining({
				duration_seconds: 600,
				counts_down: true,
				is_running: false,
			}),
		},
	],
];

test.each(TYPES)(
	'every field of the type %s reaches the phone',
	async (activityType, fields, state) => {
		const key = `all-${activityType}`;

		await put(key, { activityType, title: 'Title', ...fields });

		expect((await shown(key))?.content_state).toEqual({
			type: activityType,
			title: 'Title',
			...common,
			...state,
		});
		await finish(key);
	},
);

test('a timer that runs is not reset by an update without a duration', async () => {
	await put('tea', { activityType: 'timer', title: 'Tea', durationSeconds: 300 });
	const clock = async () => {
		const state = (await shown('tea'))?.content_state;
		return state?.type === 'timer' ? state.timer.ends_at : undefined;
	};
	const before = await clock();

	await put('tea', { activityType: 'timer', title: 'Green tea', durationSeconds: '' });

	expect((await shown('tea'))?.content_state.title).toBe('Green tea');
	expect(await clock()).toBe(before);
	await finish('tea');
});

test('an update sends only what was filled in, and may keep the type', async () => {
	await put('deploy', {
		activityType: 'segmented_progress',
		title: 'Deploy',
		currentStep: 1,
		numberOfSteps: 4,
		content: { subtitle: 'eu-1' },
	});

	await put('deploy', { activityType: 'segmented_progress', currentStep: 2 });
	await put('deploy', { activityType: 'keep', title: 'Deploy 2.0' });

	expect((await shown('deploy'))?.content_state).toEqual({
		type: 'segmented_progress',
		title: 'Deploy 2.0',
		subtitle: 'eu-1',
		current_step: 2,
		number_of_steps: 4,
	});
	await finish('deploy');
});

test('both buttons, channels, metadata and an alert are sent', async () => {
	const answer = await put('door', {
		activityType: 'alert',
		title: 'Door',
		message: 'Somebody is there',
		content: {
			action: {
				button: {
					title: 'Open',
					type: 'webhook',
					url: 'https://example.com/open',
					body: '{"door":1}',
				},
			},
			secondaryAction: {
				button: { title: 'Look', type: 'open_url', url: 'https://example.com/camera' },
			},
		},
		sendTo: 'channels',
		channels: 'ops',
		options: {
			alertTitle: 'Ding',
			alertBody: 'dong',
			metadata: '{"door":1}',
		},
	});

	expect(answer).toMatchObject({ effective_channel_slugs: ['ops'] });
	expect(await shown('door')).toMatchObject({
		action: { title: 'Open', type: 'webhook' },
		secondary_action: { title: 'Look', type: 'open_url', url: 'https://example.com/camera' },
	});
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		alert: { title: 'Ding', body: 'dong' },
	});
	await finish('door');
});

test('tags are kept, replaced and cleared', async () => {
	const progress = { activityType: 'progress', title: 'Import', percentage: 1 };
	const tagsInHistory = async () => (await bench.server.history(ACCOUNT))[0]?.tags;

	await put('import', { ...progress, options: { tags: 'import, nightly' } });
	expect(await tagsInHistory()).toEqual(['import', 'nightly']);

	await put('import', { ...progress, percentage: 2 });
	expect(await tagsInHistory()).toEqual(['import', 'nightly']);

	await put('import', {
		...progress,
		percentage: 3,
		options: { tags: '={{ ["import"] }}' },
	});
	expect(await tagsInHistory()).toEqual(['import']);

	await put('import', { ...progress, percentage: 4, options: { clearTags: true } });
	expect(await tagsInHistory()).toEqual([]);

	const both = await bench.run({
		...end,
		streamKey: 'import',
		options: { tags: 'done', clearTags: true },
	});
	expect(both.error?.message).toContain('(tags) cannot be set and cleared at once.');

	await bench.run({ ...end, streamKey: 'import', options: { tags: 'done' } });
	expect(await tagsInHistory()).toEqual(['done']);
});

test('an end needs only the key', async () => {
	const started = await put('render', {
		activityType: 'progress',
		title: 'Render',
		percentage: 99,
	});

	const run = await bench.run({ ...end, streamKey: 'render' });

	expect(onlyItem(run).json).toEqual({
		success: true,
		operation: 'ended',
		stream_key: 'render',
		activity_id: started['activity_id'],
		devices_notified: 1,
		devices_queued: 0,
		timestamp: expect.any(String),
	});
	expect(await shown('render')).toBeUndefined();
});

test('an end may show a last state, ring, and say when to leave the lock screen', async () => {
	await put('upload', { activityType: 'progress', title: 'Upload', percentage: 99 });

	const run = await bench.run({
		...end,
		streamKey: 'upload',
		activityType: 'progress',
		title: 'Uploaded',
		percentage: 100,
		options: { alertTitle: 'Done', autoDismissSeconds: 45 },
	});

	onlyItem(run);
	const delivery = (await bench.phone.inbox()).at(-1);
	expect(delivery).toMatchObject({
		kind: 'activity_end',
		alert: { title: 'Done' },
		activity: { content_state: { title: 'Uploaded', percentage: 100 } },
	});
	const { dismiss_at: dismissAt, updated_at: endedAt } = activityIn(delivery)!;
	expect(Date.parse(dismissAt ?? '') - Date.parse(endedAt)).toBe(45_000);
});
