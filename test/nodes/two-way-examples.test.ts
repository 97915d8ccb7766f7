import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Phone } from '../engine/phone.ts';
import { runWorkflow, type WorkflowJson } from '../engine/run-workflow.ts';
import { TestServer } from '../engine/server.ts';
import { WaitingExecution } from '../engine/waiting.ts';
import type { Push } from './asking.ts';

let server: TestServer;
let phone: Phone;
let credentials: { beckonApi: { baseUrl: string; apiKey: string } };

beforeAll(async () => {
	server = await TestServer.start({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	const seeded = await server.seedDemo();
	({ phone } = seeded);
	credentials = { beckonApi: { baseUrl: server.baseUrl, apiKey: seeded.key } };
});

afterAll(async () => {
	await server.stop();
});

function example(name: string): WorkflowJson {
	const file = fileURLToPath(new URL(`../../examples/${name}.json`, import.meta.url));
	return JSON.parse(readFileSync(file, 'utf8')) as WorkflowJson;
}

async function lastPush(): Promise<Push> {
	return (await phone.inbox()).findLast(({ kind }) => kind === 'push') as Push;
}

describe('approval', () => {
	let execution: WaitingExecution;

	beforeEach(async () => {
		execution = await WaitingExecution.of({ workflow: example('approval'), credentials });
		const { status, error } = await execution.start();
		expect(error?.message).toBeUndefined();
		expect(status).toBe('waiting');
	});

	afterEach(async () => {
		await execution.close();
	});

	it.each([
		[0, 'Deployed 1.4.0'],
		[1, 'Deploy 1.4.0?'],
	])('goes on as button %d says', async (button, title) => {
		const goneOn = execution.goneOn();
		const { question_id: id, choices = [] } = (await lastPush()).push.question!;
		await phone.answer(id, { choice: choices[button]?.id ?? '' });

		expect((await goneOn).status).toBe('success');
		expect((await lastPush()).push.title).toBe(title);
	});

	it('does nothing when nobody answers', async () => {
		const { status, itemsOf } = await execution.timeOut();

		expect(status).toBe('success');
		expect(itemsOf('Nothing Was Done')).toHaveLength(1);
	});
});

test('error-push tells which workflow failed, where and why', async () => {
	const workflow = example('error-push');
	const failure = {
		workflow: { id: '7', name: 'Nightly report' },
		execution: {
			id: '231',
			url: 'https://n8n.example.com/workflow/7/executions/231',
			lastNodeExecuted: 'Query',
			error: { message: 'No such table' },
		},
	};
	workflow.pinData = { 'Error Trigger': [{ json: failure }] };

	const { status, error } = await runWorkflow({ workflow, credentials });

	expect(error?.message).toBeUndefined();
	expect(status).toBe('success');
	expect((await lastPush()).push).toMatchObject({
		title: 'Nightly report failed',
		subtitle: 'Query',
		message: 'No such table',
		redirection: failure.execution.url,
		tags: ['error', 'n8n'],
	});
});

test('loop-progress goes from nothing to all, and says when it will be done', async () => {
	const workflow = example('loop-progress');
	workflow.nodes = workflow.nodes.map((node) =>
		node.name === 'The Work' ? { ...node, parameters: { amount: 0.02, unit: 'seconds' } } : node,
	);
	const before = (await phone.inbox()).length;

	const { status, error } = await runWorkflow({ workflow, credentials });

	expect(error?.message).toBeUndefined();
	expect(status).toBe('success');
	const states = (await phone.inbox())
		.slice(before)
		.flatMap((delivery) => ('activity' in delivery ? [delivery.activity.content_state] : []));
	expect(states).toMatchObject([
		{ percentage: 0, subtitle: 'Starting' },
		...[13, 25, 38, 50, 63, 75, 88].map((percentage) => ({
			percentage,
			subtitle: expect.stringMatching(/^Done about \d\d:\d\d:\d\d$/) as string,
		})),
		{ percentage: 100, title: 'Photos converted', subtitle: '8 files' },
	]);
});

test('button-starts-workflow sends a button that starts a workflow', async () => {
	const trigger = `trg_${'a'.repeat(43)}`;
	await fetch(`${credentials.beckonApi.baseUrl}/triggers/${trigger}`, {
		method: 'PUT',
		headers: {
			authorization: `Bearer ${credentials.beckonApi.apiKey}`,
			'content-type': 'application/json',
		},
		body: JSON.stringify({ name: 'Watering', session: 'a'.repeat(16) }),
	});
	const workflow = JSON.stringify(example('button-starts-workflow'));
	const { status, error } = await runWorkflow({
		workflow: JSON.parse(workflow.replace('"value":""', `"value":"${trigger}"`)) as WorkflowJson,
		credentials,
		startNode: 'Start',
	});

	expect(error?.message).toBeUndefined();
	expect(status).toBe('success');
	expect((await lastPush()).push.actions).toMatchObject([{ title: 'Water them' }]);
});
