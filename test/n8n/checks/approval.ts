import type { Browser } from 'playwright-core';

import { openWire, type Wire } from '../../../scripts/demo/wire.ts';
import type { Check } from './check.ts';
import type { Bench } from '../support/bench.ts';
import { launchBrowser } from '../support/browser.ts';
import type { Credential } from '../support/n8n-api.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

const TITLE = 'Deploy?';

/** Waits three seconds for an answer, then does nothing. */
const UNANSWERED = chain('Asks in vain', [
	node('Begin', MANUAL_TRIGGER),
	node('Ask', BECKON, {
		resource: 'pushNotification',
		operation: 'sendAndWait',
		title: TITLE,
		options: {
			limitWaitTime: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' },
			},
		},
	}),
	node('After', 'n8n-nodes-base.noOp'),
]);

/** Asks, waits for the answer, and sends it on. */
const asking = (parameters: Record<string, unknown>) =>
	chain('Asks for approval', [
		node('Begin', MANUAL_TRIGGER),
		node('Ask', BECKON, {
			operation: 'sendAndWait',
			title: TITLE,
			message: 'Version 1.4 passed all tests',
			responseType: 'approval',
			...parameters,
		}),
		node('Tell', BECKON, { title: '=Told: {{ $json.data.choice }}' }),
	]);

const ON_A_PUSH = asking({ resource: 'pushNotification' });

const ON_A_LIVE_ACTIVITY = asking({ resource: 'liveActivity', streamKey: 'approval' });

const OWN_CHOICES = asking({
	resource: 'pushNotification',
	responseType: 'choices',
	choices: { choice: ['Now', 'Tonight', 'Tomorrow', 'Never'].map((label) => ({ label })) },
});

/** The server knows the answer, and makes no call. */
const ANSWERED = {
	outcome: 'refused',
	message: expect.stringMatching(/^Already answered: Approved by /) as string,
};

/** n8n answers a tap after the end with a page, as if all were well. */
const TOO_LATE = { outcome: 'unclear', message: expect.stringContaining('web page') as string };

const told = (choice: string) => ({ push: { title: `Told: ${choice}` } });

/** The URL that the buttons of the last request call. Phones that call webhooks themselves know it. */
function urlIn(wire: Wire): string {
	type Asked = { actions?: Array<{ url: string }>; action?: { url: string } };
	const { actions, action } = wire.take()[0]?.body as Asked;
	return (actions?.[0] ?? action)?.url ?? '';
}

/** Answers a question by its URL, with all choices at once. */
async function tapAtOnce(url: string, choices: readonly string[]) {
	return await Promise.all(
		choices.map(async (choice) => {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ choice }),
			});
			const { message } = (await response.json()) as { message: string };
			return { choice, status: response.status, message };
		}),
	);
}

/** Runs a workflow until it waits, and returns the question then on the phone. */
async function ask({ api, phone, save }: Bench, workflow = ON_A_PUSH, credential?: Credential) {
	const saved = await save(workflow, credential);
	const executionId = await api.run(saved, 'Begin');
	const { status, error } = await api.settled(executionId);
	expect(error?.message).toBeUndefined();
	expect(status).toBe('waiting');
	const question = (await phone.sent()).at(-1);
	if (!question) throw new Error('The question did not reach the phone');
	return { workflowId: saved.id, executionId, question };
}

export const checkApproval: Check = (bench) => {
	describe('a workflow that waits for an answer', () => {
		let unanswered: Awaited<ReturnType<typeof ask>>;

		// n8n checks only once a minute for waits that are over; the other tests use that time.
		beforeAll(async () => {
			unanswered = await ask(bench(), UNANSWERED);
		});

		/** Taps, and returns the answer that the workflow got. */
		async function answer(executionId: string, button: Parameters<Bench['phone']['tap']>[0]) {
			expect(await bench().phone.tap(button)).toMatchObject({ outcome: 'called' });
			const execution = await bench().api.ended(executionId);
			expect(execution.status).toBe('success');
			return execution.itemsOf('Ask')[0]?.json['data'];
		}

		it.each([
			{ choice: 'Approve', approved: true, action: 0 },
			{ choice: 'Decline', approved: false, action: 1 },
		])('goes on with who tapped $choice, and when', async ({ choice, approved, action }) => {
			const { executionId, question } = await ask(bench());
			expect(question).toMatchObject({ push: { title: TITLE } });
			expect(await answer(executionId, { delivery_id: question.id, action })).toEqual({
				approved,
				choice,
				user: expect.any(String),
				device: expect.any(String),
				respondedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
			});
			expect((await bench().phone.sent()).at(-1)).toMatchObject(told(choice));
		});

		it('goes on with one of four own choices', async () => {
			const { executionId, question } = await ask(bench(), OWN_CHOICES);
			expect(await answer(executionId, { delivery_id: question.id, action: 2 })).toMatchObject({
				choice: 'Tomorrow',
			});
		});

		it('ends its Live Activity with the answer', async () => {
			const { executionId, question } = await ask(bench(), ON_A_LIVE_ACTIVITY);
			if (question.kind !== 'activity_start') throw new Error(`It is a ${question.kind}`);
			const { activity_id } = question.activity;
			expect(await answer(executionId, { activity_id, action: 'action' })).toMatchObject({
				choice: 'Approve',
			});
			const sent = await bench().phone.sent();
			expect(sent.findLast(({ kind }) => kind === 'activity_end')).toMatchObject({
				activity: { activity_id, content_state: { message: expect.stringMatching(/^Approve/) } },
			});
			expect(sent.findLast(({ kind }) => kind === 'push')).toMatchObject(told('Approve'));
		});

		it('goes on when n8n was restarted meanwhile', async () => {
			const { executionId, question } = await ask(bench());
			await bench().n8n.restart();
			expect(await answer(executionId, { delivery_id: question.id, action: 0 })).toMatchObject({
				approved: true,
			});
			expect((await bench().phone.sent()).at(-1)).toMatchObject(told('Approve'));
		});

		it('takes only the first of two answers', async () => {
			const { phone } = bench();
			const { executionId, question } = await ask(bench());
			await answer(executionId, { delivery_id: question.id, action: 0 });
			expect(await phone.tap({ delivery_id: question.id, action: 1 })).toMatchObject(ANSWERED);
			expect((await phone.sent()).slice(-2)).toMatchObject([question, told('Approve')]);
		});

		it.each([
			['push', ON_A_PUSH],
			['Live Activity', ON_A_LIVE_ACTIVITY],
		])('goes on once, however many tap on a %s at the same time', async (_where, workflow) => {
			const wire = await openWire(new URL(bench().access.baseUrl).origin);
			try {
				const { api, phone } = bench();
				const access = { ...bench().access, baseUrl: wire.baseUrl };
				const overheard = await api.createCredential('Beckon, overheard', 'beckonApi', access);
				const { executionId } = await ask(bench(), workflow, overheard);
				const before = (await phone.sent()).length;

				const answers = await tapAtOnce(urlIn(wire), ['Approve', 'Decline', 'Approve', 'Decline']);

				const counted = answers.filter(({ status }) => status < 400);
				expect(counted).toEqual([
					{ choice: expect.any(String), status: 200, message: 'Your answer was recorded.' },
				]);
				const { status, itemsOf } = await api.ended(executionId);
				expect(status).toBe('success');
				expect(itemsOf('Tell')).toHaveLength(1);
				const pushes = (await phone.sent()).slice(before).filter(({ kind }) => kind === 'push');
				expect(pushes).toMatchObject([told(counted[0]?.choice ?? '')]);
				for (const { message } of answers) expect(message).toMatch(/[a-z]{3}/);
			} finally {
				wire.close();
			}
		});

		it('does nothing more when it was cancelled', async () => {
			const { api, phone } = bench();
			const { workflowId, executionId, question } = await ask(bench());
			await api.cancel(executionId);
			await phone.tap({ delivery_id: question.id, action: 0 });
			expect(await api.executions(workflowId)).toMatchObject([
				{ id: executionId, status: 'canceled' },
			]);
			expect((await phone.sent()).at(-1)).toEqual(question);
		});

		it('goes on without an answer when the time is over', async () => {
			const { api, phone } = bench();
			const { executionId, question } = unanswered;
			const { status, itemsOf } = await api.ended(executionId, { seconds: 100 });
			expect(status).toBe('success');
			expect(itemsOf('After')).toMatchObject([{ json: {} }]);
			expect(itemsOf('After')[0]?.json).not.toHaveProperty('data');
			expect(await phone.tap({ delivery_id: question.id, action: 0 })).toMatchObject(TOO_LATE);
		});
	});

	describe('the page behind the link of an answer', () => {
		let browser: Browser | undefined;
		let wire: Wire | undefined;

		beforeAll(async () => {
			browser = await launchBrowser();
			// The phone does not reveal the URL of its buttons; the request does.
			wire = await openWire(new URL(bench().access.baseUrl).origin);
		});

		afterAll(async () => {
			await browser?.close();
			wire?.close();
		});

		it('asks to confirm, and only the confirmation counts', async () => {
			if (!browser || !wire) throw new Error('Not started');
			const { api, phone } = bench();
			const access = { ...bench().access, baseUrl: wire.baseUrl };
			const credential = await api.createCredential('Beckon, overheard', 'beckonApi', access);
			const { executionId } = await ask(bench(), ON_A_PUSH, credential);

			const page = await browser.newPage();
			await page.goto(urlIn(wire));
			await page.getByText(TITLE).first().waitFor();
			expect((await api.execution(executionId)).status).toBe('waiting');

			await page.getByRole('button', { name: 'Decline' }).click();
			await page.getByText('Your answer was recorded').waitFor();
			const { status, itemsOf } = await api.ended(executionId);
			expect(status).toBe('success');
			expect(itemsOf('Ask')).toMatchObject([
				{ json: { data: { approved: false, choice: 'Decline', user: null } } },
			]);
			expect((await phone.sent()).at(-1)).toMatchObject(told('Decline'));
		});
	});
};
