import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asks } from './asking.ts';
import { execution, lastPush, phone, waiting } from './one-question.ts';

const APPROVAL = { title: '=Deploy {{ $json.version }}?', message: 'All tests passed' };

test('a question has two buttons; a tap lets the workflow go on with the choice, who and when', async () => {
	const run = await waiting(asks(APPROVAL));

	expect(run.status).toBe('waiting');
	const push = await lastPush();
	expect(push.push).toMatchObject({
		title: 'Deploy 1.4?',
		message: 'All tests passed',
		actions: [
			{ title: 'Approve', type: 'webhook' },
			{ title: 'Decline', type: 'webhook' },
		],
	});
	expect(JSON.stringify(push)).not.toContain('signature');

	const goneOn = execution.goneOn();
	const before = Date.now();
	expect(await phone.tap({ delivery_id: push.id, action: 1 })).toMatchObject({
		outcome: 'called',
		status: 200,
	});
	const { status, itemsOf } = await goneOn;

	expect(status).toBe('success');
	const [item] = itemsOf('After');
	expect(item).toMatchObject({ pairedItem: { item: 0 } });
	const data = item?.json['data'] as IDataObject;
	expect(data).toEqual({
		approved: false,
		choice: 'Decline',
		user: 'owner',
		device: expect.any(String) as string,
		respondedAt: expect.any(String) as string,
	});
	expect(Date.parse(data['respondedAt'] as string)).toBeGreaterThanOrEqual(before - 1000);
});

test('approve only has one button; labels can be changed', async () => {
	await waiting(
		asks({
			...APPROVAL,
			approvalOptions: { values: { approvalType: 'single', approveLabel: 'Ship it' } },
		}),
	);
	const push = await lastPush();
	expect(push.push.actions).toMatchObject([{ title: 'Ship it' }]);

	const goneOn = execution.goneOn();
	await phone.tap({ delivery_id: push.id, action: 0 });

	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: true, choice: 'Ship it' } } },
	]);
});

const choices = (...labels: string[]) => ({
	responseType: 'choices',
	choices: { choice: labels.map((label) => ({ label })) },
});

test('up to four own choices', async () => {
	await waiting(asks({ ...APPROVAL, ...choices('Now', 'Tonight', 'Tomorrow', 'Never') }));
	const push = await lastPush();
	expect(push.push.actions?.map(({ title }) => title)).toEqual([
		'Now',
		'Tonight',
		'Tomorrow',
		'Never',
	]);

	const goneOn = execution.goneOn();
	await phone.tap({ delivery_id: push.id, action: 2 });

	const [item] = (await goneOn).itemsOf('After');
	expect(item?.json['data']).toMatchObject({ choice: 'Tomorrow' });
	expect(item?.json['data']).not.toHaveProperty('approved');
});

test.each<[INodeParameters, string]>([
	[{ title: '={{ "" }}' }, 'Title (title) is required.'],
	[choices(), 'Choices must have at least one choice.'],
	[choices('a', 'a'), 'Choices must not repeat a label.'],
	[
		{ resource: 'liveActivity', streamKey: 'q', message: 'm', ...choices('a', 'b', 'c') },
		'Choices must have at most 2 choices.',
	],
	[
		{ options: { limitWaitTime: { values: { resumeAmount: -1 } } } },
		'Limit Wait Time: Amount must be 0 or more.',
	],
])('a mistake is found before anything is sent: %j', async (parameters, words) => {
	const before = (await phone.inbox()).length;

	const run = await waiting(asks({ ...APPROVAL, ...parameters }));

	expect(run.status).toBe('error');
	expect(run.error?.message).toBe(words);
	expect(await phone.inbox()).toHaveLength(before);
});

test('n8n itself refuses a fifth choice, as the editor shows', async () => {
	await expect(waiting(asks({ ...APPROVAL, ...choices('a', 'b', 'c', 'd', 'e') }))).rejects.toThrow(
		'At most 4 fields are allowed.',
	);
});

test('of many taps at once one counts; the others are told that they came too late', async () => {
	await waiting(asks(APPROVAL));
	execution.goOnAfter(5);
	const goneOn = execution.goneOn();
	const url = execution.resumeUrl('Ask', { round: '1' });

	const answers = await Promise.all(
		['Approve', 'Decline', 'Approve', 'Decline', 'Decline'].map(async (choice) => {
			const headers = { 'content-type': 'application/json' };
			const body = JSON.stringify({ choice });
			const response = await fetch(url, { method: 'POST', headers, body });
			return { choice, status: response.status, body: await response.json() };
		}),
	);

	const [counted, ...others] = answers.filter(({ status }) => status === 200);
	expect(others).toEqual([]);
	expect(counted?.body).toEqual({ message: 'Your answer was recorded.', final: true });
	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { choice: counted?.choice } } },
	]);
	const late = { status: 410, body: { message: 'This question has already been answered.' } };
	expect(answers.filter(({ status }) => status !== 200)).toMatchObject([late, late, late, late]);
});

test('a second tap does no harm and says so', async () => {
	await waiting(asks(APPROVAL));
	const push = await lastPush();
	const goneOn = execution.goneOn();
	await phone.tap({ delivery_id: push.id, action: 0 });
	await goneOn;

	const again = await fetch(execution.resumeUrl('Ask', { round: '1' }), { method: 'POST' });

	expect(await again.text()).toBe('No action required');
});

test('after the wait time the workflow goes on with its input', async () => {
	const before = Date.now();
	const run = await waiting(
		asks({
			...APPROVAL,
			options: { limitWaitTime: { values: { resumeAmount: 2, resumeUnit: 'hours' } } },
		}),
	);
	const waitTill = new Date(run.run.data.waitTill ?? 0).getTime();
	expect(waitTill - before).toBeGreaterThan(7_190_000);
	expect(waitTill - before).toBeLessThan(7_260_000);

	const { status, itemsOf } = await execution.timeOut();

	expect(status).toBe('success');
	expect(itemsOf('After').map(({ json }) => json)).toEqual([{ version: '1.4' }]);
	const late = await phone.tap({ delivery_id: (await lastPush()).id, action: 0 });
	expect(late).toMatchObject({ outcome: 'called' });
});

test('a Live Activity asks, and ends with the decision', async () => {
	const run = await waiting(
		asks({
			...APPROVAL,
			resource: 'liveActivity',
			streamKey: 'approve-deploy',
			content: { icon: 'shippingbox.fill', color: 'orange' },
		}),
	);
	expect(run.error?.message).toBeUndefined();
	const [activity] = (await phone.snapshot()).activities.filter(
		({ stream_key: streamKey }) => streamKey === 'approve-deploy',
	);
	expect(activity).toMatchObject({
		content_state: { type: 'alert', title: 'Deploy 1.4?', color: 'orange' },
		action: { title: 'Approve' },
		secondary_action: { title: 'Decline' },
	});

	const goneOn = execution.goneOn();
	await phone.tap({ activity_id: activity!.activity_id, action: 'secondary_action' });

	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: false, choice: 'Decline', user: 'owner' } } },
	]);
	const end = (await phone.inbox()).at(-1);
	expect(end).toMatchObject({
		kind: 'activity_end',
		activity: { content_state: { title: 'Deploy 1.4?', message: 'Decline · owner' } },
	});
});

test('a Live Activity can be kept for the nodes that follow', async () => {
	await waiting(
		asks({
			...APPROVAL,
			resource: 'liveActivity',
			streamKey: 'keep-it',
			options: { afterResponse: 'keep' },
		}),
	);
	const [activity] = (await phone.snapshot()).activities.filter(
		({ stream_key: streamKey }) => streamKey === 'keep-it',
	);
	const goneOn = execution.goneOn();
	await phone.tap({ activity_id: activity!.activity_id, action: 'action' });

	expect((await goneOn).status).toBe('success');
	const deliveries = (await phone.inbox()).filter(
		(delivery) => 'activity' in delivery && delivery.activity.activity_id === activity!.activity_id,
	);
	// The update brings the answer to the phones; no end follows.
	expect(deliveries.map(({ kind }) => kind)).toEqual(['activity_start', 'activity_update']);
});

test('it asks once, for the first item', async () => {
	const workflow = asks(APPROVAL);
	workflow.pinData = { Begin: [{ json: { version: '1' } }, { json: { version: '2' } }] };
	const before = (await phone.inbox()).length;

	await waiting(workflow);

	expect(await phone.inbox()).toHaveLength(before + 1);
	expect((await lastPush()).push.title).toBe('Deploy 1?');
});
