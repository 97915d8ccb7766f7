import type { INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { BECKON } from '../engine/one-node.ts';
import { installedTypes } from '../engine/run-workflow.ts';
import { startBench, type Bench } from './bench.ts';
import { failureOf } from './failure.ts';

/** Every operation works with nothing but what it asks for; the rest keeps its defaults. */

let bench: Bench;
let description: INodeTypeDescription;

beforeAll(async () => {
	bench = await startBench({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
});

afterAll(async () => {
	await bench.server.stop();
});

const node = { typeVersion: 2 };

/** What the editor fills in when somebody chooses an operation. */
function defaultsOf(chosen: INodeParameters): INodeParameters {
	const isShown = (field: INodeProperties, values: INodeParameters) =>
		n8n.NodeHelpers.displayParameter(values, field, node, description, values);
	return description.properties.reduce<INodeParameters>(
		(values, field) =>
			field.name in values || !isShown(field, values)
				? values
				: { ...values, [field.name]: field.default },
		chosen,
	);
}

async function answerTo(resource: string, operation: string, filled: INodeParameters) {
	const run = await bench.run({ ...defaultsOf({ resource, operation }), ...filled }, { node });
	expect(run.error?.message).toBeUndefined();
	return { status: run.status, json: run.itemsOf('Beckon')[0]?.json };
}

async function shown(title: string) {
	const { activities } = await bench.phone.snapshot();
	return activities.find(({ content_state: state }) => state.title === title);
}

const ok = { status: 'success', json: { success: true } };

test('a push needs a title', async () => {
	expect(await answerTo('pushNotification', 'send', { title: 'Hello' })).toMatchObject(ok);
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		push: { title: 'Hello', interruption_level: 'active' },
	});
});

test('a repeat is stopped by its id', async () => {
	const repeat = { values: { everyMinutes: 5, times: 3 } };
	const { json } = await answerTo('pushNotification', 'send', {
		title: 'Again',
		options: { repeat },
	});
	const repeatId = json?.['repeat_id'] as string;
	expect(await answerTo('pushNotification', 'stopRepeating', { repeatId })).toMatchObject(ok);
});

test('a question needs a title, and has a button for yes and one for no', async () => {
	const { status } = await answerTo('pushNotification', 'sendAndWait', { title: 'Deploy?' });

	expect(status).toBe('waiting');
	expect((await bench.phone.inbox()).at(-1)).toMatchObject({
		push: {
			title: 'Deploy?',
			question: { choices: [{ title: 'Approve' }, { title: 'Decline' }] },
		},
	});
});

test('the badge is set and cleared without any entry', async () => {
	expect(await answerTo('badge', 'set', {})).toMatchObject({ json: { badge: 1 } });
	expect(await answerTo('badge', 'clear', {})).toMatchObject({ json: { badge: 0 } });
});

test('a metric needs its key and a value', async () => {
	expect(await answerTo('metric', 'setValue', { key: 'cpu.load', value: '7' })).toMatchObject(ok);
});

test('a stream starts as a bar at its beginning, by its key and a title, and ends by its key', async () => {
	const streamKey = 'by-default';
	const started = await answerTo('liveActivity', 'upsert', { streamKey, title: 'Backup' });

	expect(started.json).toMatchObject({ operation: 'started' });
	expect((await shown('Backup'))?.content_state).toEqual({
		type: 'progress',
		title: 'Backup',
		percentage: 0,
	});
	expect((await answerTo('liveActivity', 'end', { streamKey })).json).toMatchObject({
		operation: 'ended',
	});
});

test('a question on a Live Activity needs its key, a title and a message', async () => {
	const { status } = await answerTo('liveActivity', 'sendAndWait', {
		streamKey: 'question-by-default',
		title: 'Ship it?',
		message: 'All tests passed',
	});

	expect(status).toBe('waiting');
	expect(await shown('Ship it?')).toMatchObject({
		action: { title: 'Approve' },
		secondary_action: { title: 'Decline' },
	});
});

test('by its id, a Live Activity starts with a title, and keeps what an update leaves out', async () => {
	const { json } = await answerTo('liveActivityManual', 'start', { title: 'Print' });
	const activityId = json?.['activity_id'] as string;
	expect((await shown('Print'))?.content_state).toMatchObject({ type: 'progress', percentage: 0 });

	const percentage = { activityId, activityType: 'progress', percentage: 40 };
	await answerTo('liveActivityManual', 'update', percentage);
	await answerTo('liveActivityManual', 'update', { activityId, title: 'Printing' });

	expect((await shown('Printing'))?.content_state).toMatchObject({ percentage: 40 });
	expect(await answerTo('liveActivityManual', 'end', { activityId })).toMatchObject(ok);
});

test('a bar in units of its own needs no change of the percentage', async () => {
	const streamKey = 'in-units';
	const content = { currentValue: 5, upperLimit: 20 };
	await answerTo('liveActivity', 'upsert', { streamKey, title: 'Copy', content });

	expect((await shown('Copy'))?.content_state).toMatchObject({ percentage: 25 });
});

test('a new stream has no type to keep, and says what to do', async () => {
	const { message } = await failureOf(bench, {
		resource: 'liveActivity',
		operation: 'upsert',
		streamKey: 'never-seen',
		activityType: 'keep',
		title: 'T',
	});

	expect(message).toBe(
		'Activity Type (content_state.type) is Keep Current Type, but no Live Activity with this Stream Key is running. Choose what the new one looks like, such as Progress, and fill in its fields.',
	);
});
