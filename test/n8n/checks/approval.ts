import { startServer, type DemoServer } from '../../../scripts/demo/server.ts';
import type { PhoneAnswerResponse } from '../../../server/src/contract/questions.ts';
import { Phone } from '../../engine/phone.ts';
import type { Bench } from '../support/bench.ts';
import type { Credential, Workflow } from '../support/n8n-api.ts';
import { until } from '../support/wait.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';
import type { Check } from './check.ts';

const TITLE = 'Deploy?';

/** Asks, waits for the answer, and sends it on. */
const asking = (parameters: Record<string, unknown> = {}) =>
	chain('Asks for approval', [
		node('Begin', MANUAL_TRIGGER),
		node('Ask', BECKON, {
			resource: 'pushNotification',
			operation: 'sendAndWait',
			title: TITLE,
			message: 'Version 1.4 passed all tests',
			responseType: 'approval',
			...parameters,
		}),
		node('Tell', BECKON, {
			title: '=Told: {{ $json.data.choice || $json.data.text || "nothing" }}',
		}),
	]);

/** Asks as above, for 30 seconds at most, the least that a question may have. */
const askingBriefly = (options: Record<string, unknown> = {}) =>
	asking({
		options: {
			limitWaitTime: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 0.5, resumeUnit: 'minutes' },
			},
			...options,
		},
	});

const ON_A_LIVE_ACTIVITY = asking({ resource: 'liveActivity', streamKey: 'approval' });

const OWN_CHOICES = asking({
	responseType: 'choices',
	choices: { choice: ['Now', 'Tonight', 'Tomorrow', 'Never'].map((label) => ({ label })) },
});

/** Asks about each of three items, one after the other. */
const IN_A_LOOP: Workflow = {
	name: 'Asks in a loop',
	nodes: [
		node('Begin', MANUAL_TRIGGER),
		{
			...node('Items', 'n8n-nodes-base.set', {
				mode: 'raw',
				jsonOutput: '{ "n": [1, 2, 3] }',
				options: {},
			}),
			typeVersion: 3.4,
		},
		node('Split', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'n', options: {} }),
		{ ...node('Loop', 'n8n-nodes-base.splitInBatches', { options: {} }), typeVersion: 3 },
		node('Ask', BECKON, {
			resource: 'pushNotification',
			operation: 'sendAndWait',
			title: '=Item {{ $json.n }}?',
		}),
		node('After', 'n8n-nodes-base.noOp'),
	],
	connections: {
		Begin: { main: [[{ node: 'Items', type: 'main', index: 0 }]] },
		Items: { main: [[{ node: 'Split', type: 'main', index: 0 }]] },
		Split: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		Loop: {
			main: [
				[{ node: 'After', type: 'main', index: 0 }],
				[{ node: 'Ask', type: 'main', index: 0 }],
			],
		},
		Ask: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
	},
};

const told = (answer: string) => ({ push: { title: `Told: ${answer}` } });

/** Runs a workflow until it waits, and returns the id of its question. */
async function ask({ api, phone, save }: Bench, workflow = asking(), title = TITLE) {
	const saved = await save(workflow);
	const executionId = await api.run(saved, 'Begin');
	const { status, error } = await api.settled(executionId);
	expect(error?.message).toBeUndefined();
	expect(status).toBe('waiting');
	const { question_id: id } = await phone.question(title);
	return { workflowId: saved.id, executionId, id };
}

/** The outcomes of answers, those that count first. */
const outcomes = (answers: PhoneAnswerResponse[]) => answers.map(({ outcome }) => outcome).sort();

export const checkApproval: Check = (bench) => {
	describe('a workflow that waits for an answer', () => {
		let unanswered: Awaited<ReturnType<typeof ask>>;
		let byDefault: Awaited<ReturnType<typeof ask>>;

		// The other tests use the time that they wait.
		beforeAll(async () => {
			unanswered = await ask(bench(), askingBriefly());
			byDefault = await ask(bench(), askingBriefly({ defaultAnswer: 'Decline' }));
		});

		const data = async (executionId: string) => {
			const execution = await bench().api.ended(executionId);
			expect(execution.error?.message).toBeUndefined();
			expect(execution.status).toBe('success');
			return execution.itemsOf('Ask')[0]?.json['data'];
		};

		it('goes on with its input when the deadline passes without a default', async () => {
			expect(await data(unanswered.executionId)).toEqual({
				status: 'expired',
				approved: false,
				choice: null,
				responder: null,
				respondedAt: null,
			});
			const answer = await bench().phone.answer(unanswered.id, { choice: 'approve' });
			expect(answer).toMatchObject({ outcome: 'refused', question: { status: 'expired' } });
		});

		it('goes on with the default answer when the deadline passes', async () => {
			expect(await data(byDefault.executionId)).toEqual({
				status: 'answered',
				approved: false,
				choice: 'Decline',
				by: 'deadline',
				responder: null,
				respondedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
			});
		});

		it.each([
			{ choice: 'Approve', approved: true },
			{ choice: 'Decline', approved: false },
		])('goes on with who tapped $choice, and when', async ({ choice, approved }) => {
			const { executionId, id } = await ask(bench());
			await bench().phone.answer(id, { choice: choice.toLowerCase() });
			expect(await data(executionId)).toEqual({
				status: 'answered',
				approved,
				choice,
				responder: { name: expect.any(String), device: expect.any(String) },
				respondedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
			});
			expect((await bench().phone.sent()).at(-1)).toMatchObject(told(choice));
		});

		it('goes on with one of four own choices', async () => {
			const { executionId, id } = await ask(bench(), OWN_CHOICES);
			await bench().phone.answer(id, { choice: '3' });
			expect(await data(executionId)).toMatchObject({ choice: 'Tomorrow' });
		});

		it('goes on with a text that was typed on the phone', async () => {
			const { executionId, id } = await ask(bench(), asking({ responseType: 'freeText' }));
			await bench().phone.answer(id, { text: 'On Monday' });
			expect(await data(executionId)).toMatchObject({ text: 'On Monday' });
			expect((await bench().phone.sent()).at(-1)).toMatchObject(told('On Monday'));
		});

		it('goes on once, however many answer at the same time', async () => {
			const { phone, api } = bench();
			const { executionId, id } = await ask(bench());
			const before = (await phone.sent()).length;
			const answers = await Promise.all(
				['approve', 'decline', 'approve', 'decline'].map((choice) => phone.answer(id, { choice })),
			);
			expect(outcomes(answers)).toEqual(['answered', 'refused', 'refused', 'refused']);
			const { status, itemsOf } = await api.ended(executionId);
			expect([status, itemsOf('Tell')]).toEqual(['success', [expect.anything()]]);
			const counted = answers.find(({ outcome }) => outcome === 'answered')?.question.answer
				?.choice;
			expect((await phone.sent()).slice(before)).toMatchObject([
				told(counted === 'approve' ? 'Approve' : 'Decline'),
			]);
		});

		it('takes the answers of a loop one by one, each for its own question', async () => {
			const { phone, api } = bench();
			const { executionId, id } = await ask(bench(), IN_A_LOOP, 'Item 1?');
			await phone.answer(id, { choice: 'approve' });
			await phone.answer((await phone.question('Item 2?')).question_id, { choice: 'decline' });
			expect(await phone.answer(id, { choice: 'decline' })).toMatchObject({ outcome: 'refused' });
			await phone.answer((await phone.question('Item 3?')).question_id, { choice: 'approve' });
			expect((await api.ended(executionId)).status).toBe('success');
			// For a moment, n8n 1 tells the data of the last wait: the earlier questions have run in it, too.
			const items = await until(
				async () => {
					const found = (await api.execution(executionId)).itemsOf('After');
					return found.length > 0 ? found : undefined;
				},
				{ what: 'items after the loop' },
			);
			expect(items.map(({ json }) => json['data'])).toMatchObject([
				{ approved: true },
				{ approved: false },
				{ approved: true },
			]);
		});

		it('ends its Live Activity with the answer', async () => {
			const { phone } = bench();
			const { executionId, id } = await ask(bench(), ON_A_LIVE_ACTIVITY);
			const { activities } = await phone.snapshot();
			expect(activities.find(({ stream_key: key }) => key === 'approval')).toMatchObject({
				content_state: { title: TITLE },
				action: { title: 'Approve' },
			});
			await phone.answer(id, { choice: 'approve' });
			expect(await data(executionId)).toMatchObject({ choice: 'Approve' });
			expect((await phone.sent()).findLast(({ kind }) => kind === 'activity_end')).toMatchObject({
				activity: { content_state: { message: expect.stringMatching(/^Approve/) } },
			});
		});

		it('goes on when n8n was down while somebody answered', async () => {
			const { n8n, phone } = bench();
			const { executionId, id } = await ask(bench());
			await n8n.stop();
			const { outcome, question } = await phone.answer(id, { choice: 'approve' });
			expect([outcome, question.callback]).toEqual(['answered', 'pending']);
			await n8n.start();
			// The server tries again after 5, 10, 20, 40 and 80 seconds.
			expect(await data(executionId)).toMatchObject({ approved: true });
			expect((await phone.sent()).at(-1)).toMatchObject(told('Approve'));
		});

		it('goes on when the server was killed while it waited', async () => {
			const { killAndStartServer, phone } = bench();
			const { executionId, id } = await ask(bench());
			await killAndStartServer();
			await phone.answer(id, { choice: 'approve' });
			expect(await data(executionId)).toMatchObject({ approved: true });
			expect((await phone.sent()).at(-1)).toMatchObject(told('Approve'));
		});

		it('does nothing more when it was stopped', async () => {
			const { api, phone } = bench();
			const { workflowId, executionId, id } = await ask(bench());
			await api.cancel(executionId);
			await phone.answer(id, { choice: 'approve' });
			expect(await api.executions(workflowId)).toMatchObject([
				{ id: executionId, status: 'canceled' },
			]);
			expect((await phone.sent()).at(-1)).toMatchObject({ push: { title: TITLE } });
		});

		it('is told by nobody when its own key withdraws the question', async () => {
			const { api, phone, save } = bench();
			const { executionId, id } = await ask(bench());
			const withdrawing = chain('Withdraws', [
				node('Begin', MANUAL_TRIGGER),
				...['withdraw', 'get'].map((operation) =>
					node(operation, BECKON, {
						resource: 'question',
						operation,
						questionId: { __rl: true, mode: 'key', value: id },
					}),
				),
			]);
			const { status, itemsOf } = await api.ended(await api.run(await save(withdrawing), 'Begin'));
			expect(status).toBe('success');
			const withdrawn = [{ json: { question_id: id, status: 'withdrawn', callback: 'none' } }];
			expect(itemsOf('withdraw')).toMatchObject(withdrawn);
			expect(itemsOf('get')).toMatchObject(withdrawn);
			expect(await phone.answer(id, { choice: 'approve' })).toMatchObject({ outcome: 'refused' });
			expect((await api.execution(executionId)).status).toBe('waiting');
			await api.cancel(executionId);
		});
	});

	describe('an n8n that the server cannot reach', () => {
		let strict: DemoServer;
		let phone: Phone;
		let credential: Credential;

		beforeAll(async () => {
			strict = await startServer(0, { BECKON_WEBHOOK_ALLOW_PRIVATE: 'false' });
			const { device_id: deviceId, device_token: token, key: apiKey } = strict.seed;
			phone = new Phone(strict.url, deviceId, token);
			const access = { baseUrl: `${strict.url}/api`, apiKey };
			credential = await bench().api.createCredential('Beckon, strict', 'beckonApi', access);
		});

		afterAll(async () => {
			await strict.stop();
		});

		const run = async (howToWait: string) => {
			const { api, save } = bench();
			const workflow = asking({ options: { howToWait } });
			return await api.run(await save(workflow, credential), 'Begin');
		};

		it('is told what to do when it asks to be called back', async () => {
			const { status, error } = await bench().api.ended(await run('calledBack'));
			expect(status).toBe('error');
			expect(error?.description).toContain('How to Wait to Keep Running');
		});

		it('gets the answer by keeping the execution running, also from a killed server', async () => {
			const { api } = bench();
			const executionId = await run('keepRunning');
			const { question_id: id } = await phone.question(TITLE);
			await strict.killAndStart();
			await phone.answer(id, { choice: 'approve' });
			const { status, itemsOf } = await api.ended(executionId);
			expect(status).toBe('success');
			expect(itemsOf('Ask')).toMatchObject([{ json: { data: { approved: true } } }]);
		});

		it('stops waiting when the execution is stopped', async () => {
			const { api } = bench();
			const executionId = await run('keepRunning');
			await phone.question(TITLE);
			await api.cancel(executionId);
			const canceled = async () =>
				(await api.execution(executionId)).status === 'canceled' || undefined;
			await until(canceled, { what: 'canceled execution' });
		});
	});
};
