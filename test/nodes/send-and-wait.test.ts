import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RecordingServer } from '../engine/recording-server.ts';
import { asks } from './asking.ts';
import {
	answer,
	execution,
	goneOnWith,
	key,
	lastPush,
	lastQuestion,
	phone,
	server,
	waiting,
	withOneQuestion,
} from './one-question.ts';

withOneQuestion();

/** The input with what is known of an approval that nobody has given. */
const unanswered = (status: string) => ({
	json: {
		version: '1.4',
		data: { status, approved: false, choice: null, responder: null, respondedAt: null },
	},
	pairedItem: { item: 0 },
});

const APPROVAL = { title: '=Deploy {{ $json.version }}?', message: 'All tests passed' };

test('a question has two buttons; a tap lets the workflow go on with the choice, who and when', async () => {
	const run = await waiting(asks(APPROVAL));

	expect(run.status).toBe('waiting');
	const push = await lastPush();
	expect(push.push).toMatchObject({
		title: 'Deploy 1.4?',
		message: 'All tests passed',
		question: { status: 'open', choices: [{ title: 'Approve' }, { title: 'Decline' }] },
	});
	expect(JSON.stringify(push)).not.toContain('signature');

	const before = Date.now();
	const { status, itemsOf } = await goneOnWith({ choice: 'decline' });

	expect(status).toBe('success');
	const [item] = itemsOf('After');
	expect(item).toMatchObject({ pairedItem: { item: 0 } });
	const data = item?.json['data'] as IDataObject;
	expect(data).toEqual({
		status: 'answered',
		approved: false,
		choice: 'Decline',
		responder: { name: 'owner', device: expect.any(String) as string },
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
	const { choices: [only, ...others] = [] } = await lastQuestion();
	expect([only?.title, others]).toEqual(['Ship it', []]);

	expect((await goneOnWith({ choice: only?.id ?? '' })).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: true, choice: 'Ship it' } } },
	]);
});

test('a human review shows what the tool of the agent gets', async () => {
	const message = '=The agent wants to run: {{ $tool.name }}\n\n{{ $tool.parameters }}';
	const Begin = [{ json: { tool: 'Restart', toolParameters: { server: 'web-1' } } }];

	await waiting({ ...asks({ ...APPROVAL, title: 'May it?', message }), pinData: { Begin } });

	expect((await lastPush()).push.message).toBe(
		'The agent wants to run: Restart\n\n{"server":"web-1"}',
	);
	await goneOnWith({ choice: 'approve' });
});

const choices = (...labels: string[]) => ({
	responseType: 'choices',
	choices: { choice: labels.map((label) => ({ label })) },
});

test('up to four own choices', async () => {
	await waiting(asks({ ...APPROVAL, ...choices('Now', 'Tonight', 'Tomorrow', 'Never') }));
	const offered = (await lastQuestion()).choices ?? [];
	expect(offered.map(({ title }) => title)).toEqual(['Now', 'Tonight', 'Tomorrow', 'Never']);

	const [item] = (await goneOnWith({ choice: offered[2]?.id ?? '' })).itemsOf('After');
	expect(item?.json['data']).toMatchObject({ choice: 'Tomorrow' });
	expect(item?.json['data']).not.toHaveProperty('approved');
});

/** Answered questions still change, when their callback has been delivered. */
const pushes = async () => (await phone.inbox()).filter(({ kind }) => kind === 'push').length;

test.each<[INodeParameters, string]>([
	[{ title: '={{ "" }}' }, 'Title (title) is required.'],
	[choices('a', 'a'), 'Choices (choices) must not repeat a label.'],
	[
		{ options: { limitWaitTime: { values: { resumeAmount: -1 } } } },
		'Limit Wait Time: Amount must be 0 or more.',
	],
])('a mistake is found before anything is sent: %j', async (parameters, words) => {
	const before = await pushes();

	const run = await waiting(asks({ ...APPROVAL, ...parameters }));

	expect(run.status).toBe('error');
	expect(run.error?.message).toBe(words);
	expect(await pushes()).toBe(before);
});

test('n8n itself refuses no choice and a fifth one, as the editor shows', async () => {
	await expect(waiting(asks({ ...APPROVAL, ...choices() }))).rejects.toThrow(
		'At least 1 field is required.',
	);
	await expect(waiting(asks({ ...APPROVAL, ...choices('a', 'b', 'c', 'd', 'e') }))).rejects.toThrow(
		'At most 4 fields are allowed.',
	);
});

test('of many answers at once one counts; the others are told that they came too late', async () => {
	await waiting(asks(APPROVAL));
	const goneOn = execution.goneOn();

	const answers = await Promise.all(
		['approve', 'decline', 'approve', 'decline', 'decline'].map(async (choice) => ({
			choice,
			...(await answer({ choice })),
		})),
	);

	const [counted, ...more] = answers.filter(({ outcome }) => outcome === 'answered');
	expect(more).toEqual([]);
	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: counted?.choice === 'approve' } } },
	]);
	const late = {
		outcome: 'refused',
		message: expect.stringContaining('Already answered') as string,
	};
	expect(answers.filter(({ outcome }) => outcome !== 'answered')).toMatchObject(
		Array(4).fill(late),
	);
});

test('a callback that comes again before n8n has resumed changes nothing, and is not acknowledged', async () => {
	await waiting(asks(APPROVAL));
	execution.goOnAfter(2);
	const goneOn = execution.goneOn();
	const { question_id: id } = await lastQuestion();
	await answer({ choice: 'approve' });
	while (execution.calls < 1) await new Promise((resolve) => setTimeout(resolve, 5));

	const again = await fetch(execution.resumeUrl('Ask', { round: '1' }), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ question_id: id, answer: { choice: 'decline', by: 'deadline' } }),
	});

	expect([again.status, await again.json()]).toEqual([
		409,
		{ message: 'n8n is resuming. Try again.' },
	]);
	expect((await goneOn).itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});

test('a second answer does no harm and says so', async () => {
	await waiting(asks(APPROVAL));
	await goneOnWith({ choice: 'approve' });

	expect(await answer({ choice: 'decline' })).toMatchObject({
		outcome: 'refused',
		message: expect.stringContaining('Already answered') as string,
	});
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
	// Two minutes longer than the question, whose end the server tells.
	expect(waitTill - before).toBeGreaterThan(7_310_000);
	expect(waitTill - before).toBeLessThan(7_380_000);
	const { deadline_at: deadline } = await lastQuestion();
	expect(Math.abs(Date.parse(deadline) + 120_000 - waitTill)).toBeLessThan(10_000);

	const { status, itemsOf } = await execution.timeOut();

	expect(status).toBe('success');
	expect(itemsOf('After')).toEqual([unanswered('expired')]);
});

test('a Live Activity is asked for with its stream key, and whether it stays', async () => {
	const recording = await RecordingServer.start();
	const question = { ...APPROVAL, resource: 'liveActivity', streamKey: 'approve-deploy' };
	for (const afterResponse of ['end', 'keep']) {
		await waiting(asks({ ...question, options: { afterResponse } }), {
			baseUrl: `${recording.url}/api`,
			apiKey: key,
		});
		await execution.close();
	}
	recording.stop();

	expect(recording.requests.map(({ body }) => body)).toMatchObject([
		{ title: 'Deploy 1.4?', live_activity: { stream_key: 'approve-deploy' } },
		{ live_activity: { stream_key: 'approve-deploy', keep: true } },
	]);
	expect(recording.requests.map(({ body }) => body)[0]).not.toHaveProperty('live_activity.keep');
});

test.each(['end', 'keep'])(
	'a Live Activity asks, and the server ends or keeps it: %s',
	async (afterResponse) => {
		const streamKey = `approve-${afterResponse}`;
		const { error } = await waiting(
			asks({ ...APPROVAL, resource: 'liveActivity', streamKey, options: { afterResponse } }),
		);
		expect(error?.message).toBeUndefined();
		const running = async () =>
			(await phone.snapshot()).activities.filter(({ stream_key: key }) => key === streamKey);
		expect(await running()).toMatchObject([
			{
				content_state: { type: 'alert', title: 'Deploy 1.4?' },
				action: { title: 'Approve' },
				secondary_action: { title: 'Decline' },
			},
		]);

		const { itemsOf } = await goneOnWith({ choice: 'decline' });

		expect(itemsOf('After')).toMatchObject([
			{ json: { data: { approved: false, choice: 'Decline', responder: { name: 'owner' } } } },
		]);
		const ended = (await phone.inbox()).findLast(({ kind }) => kind === 'activity_end');
		expect(ended !== undefined && 'activity' in ended && ended.activity.stream_key).toBe(
			afterResponse === 'end' ? streamKey : 'approve-end',
		);
	},
);

test('it asks once, for the first item', async () => {
	const workflow = asks(APPROVAL);
	workflow.pinData = { Begin: [{ json: { version: '1' } }, { json: { version: '2' } }] };
	const before = await pushes();

	await waiting(workflow);

	expect(await pushes()).toBe(before + 1);
	expect((await lastPush()).push.title).toBe('Deploy 1?');
});

/** Ends the last question as the key that asked. */
const withdraw = async () =>
	await fetch(`${server.baseUrl}/questions/${(await lastQuestion()).question_id}`, {
		method: 'DELETE',
		headers: { authorization: `Bearer ${key}` },
	});

const limited = (more: INodeParameters, seconds = 30) => ({
	...APPROVAL,
	options: {
		limitWaitTime: { values: { resumeAmount: seconds / 60, resumeUnit: 'minutes' } },
		...more,
	},
});

test('a question says what happens while nobody answers, and who may', async () => {
	await server.cli('user', 'add', '--account', 'demo', '--name', 'Grace');
	await waiting(
		asks(
			limited(
				{
					defaultAnswer: 'Decline',
					remind: { values: { everyMinutes: 10, times: 2 } },
					escalate: { values: { afterMinutes: 20, channels: ['ops'] } },
					answerableBy: ['owner', 'Grace'],
					media: 'https://example.com/a.png',
				},
				3600,
			),
		),
	);

	const question = await lastQuestion();
	expect(question.answerable_by?.map(({ name }) => name).sort()).toEqual(['Grace', 'owner']);
	expect(Date.parse(question.deadline_at) - Date.now()).toBeGreaterThan(3_500_000);
	await withdraw();
});

test.each<[INodeParameters, string]>([
	[
		{
			options: {
				limitWaitTime: { values: { resumeAmount: 20, resumeUnit: 'days' } },
				defaultAnswer: 'Decline',
			},
			approvalOptions: { values: { approvalType: 'single' } },
		},
		'Default Answer must be the label of a button: Approve.',
	],
	[
		{ options: { limitWaitTime: { values: { resumeAmount: 31, resumeUnit: 'days' } } } },
		'Limit Wait Time: Amount must be 30 seconds to 30 days.',
	],
	[
		{ options: { answerableBy: '={{ $json.nobody }}' } },
		'Responder Names or IDs (answerable_by) must name at least one person: choose somebody, correct the expression, or remove the option.',
	],
	[
		{ options: { answerableBy: [] } },
		'Responder Names or IDs (answerable_by) must name at least one person, or be left out.',
	],
	[
		{ options: { escalate: { values: { afterMinutes: 5 } } } },
		'Escalate: Channel Names or IDs (escalate.channels) must name at least one channel, or be left out.',
	],
	[
		{ options: { remind: { values: { everyMinutes: 2000 } } } },
		'Remind: Every (Minutes) (remind.every_minutes) must be between 1 and 1440.',
	],
])(
	'an option that does not fit is found before anything is sent: %j',
	async (parameters, words) => {
		const before = await pushes();

		const { status, error } = await waiting(asks({ ...APPROVAL, ...parameters }));

		expect([status, error?.message]).toEqual(['error', words]);
		expect(await pushes()).toBe(before);
	},
);

test('without a default, the deadline lets the workflow go on with its input', async () => {
	await waiting(asks(limited({})));
	const { status, itemsOf } = await execution.goneOn();

	expect(status).toBe('success');
	expect(itemsOf('After')).toEqual([unanswered('expired')]);
	expect((await lastQuestion()).question_id).toBeDefined();
});

test.each([
	['Decline', false],
	['Approve', true],
])(
	'with the default %s, the deadline answers, and the output says so',
	async (choice, approved) => {
		await waiting(asks(limited({ defaultAnswer: choice })));
		const { itemsOf } = await execution.goneOn();

		expect(itemsOf('After').map(({ json }) => json['data'])).toEqual([
			{
				status: 'answered',
				approved,
				by: 'deadline',
				choice,
				responder: null,
				respondedAt: expect.any(String) as string,
			},
		]);
	},
);

test('an execution that keeps running gets the answer without an address of its own', async () => {
	const keeping = { ...APPROVAL, options: { howToWait: 'keepRunning' } };
	const asked = waiting(asks({ ...keeping, title: 'Keep running?' }));
	const { question_id: id } = await phone.question('Keep running?');
	await phone.answer(id, { choice: 'approve' });

	const { status, itemsOf } = await asked;

	expect(status).toBe('success');
	expect(itemsOf('After')).toMatchObject([
		{ json: { data: { approved: true, responder: { name: 'owner' } } } },
	]);
});

test('an execution that keeps running goes on with its input when the question is withdrawn', async () => {
	const asked = waiting(
		asks({ ...APPROVAL, title: 'Withdrawn?', options: { howToWait: 'keepRunning' } }),
	);
	await phone.question('Withdrawn?');
	await withdraw();

	expect((await asked).itemsOf('After')).toEqual([unanswered('withdrawn')]);
});

test('a text is typed on the phone', async () => {
	await waiting(
		asks({
			title: 'What now?',
			responseType: 'freeText',
			placeholder: 'Your idea',
			multiline: true,
		}),
	);
	const question = await lastQuestion();
	expect(question.text).toEqual({ placeholder: 'Your idea', multiline: true });

	const { itemsOf } = await goneOnWith({ text: 'Wait until Monday' });

	expect(itemsOf('After').map(({ json }) => json['data'])).toEqual([
		{
			status: 'answered',
			text: 'Wait until Monday',
			responder: { name: 'owner', device: expect.any(String) as string },
			respondedAt: expect.any(String) as string,
		},
	]);
});
