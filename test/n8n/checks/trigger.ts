import type { Check } from './check.ts';
import type { Bench } from '../support/bench.ts';
import type { Workflow } from '../support/n8n-api.ts';
import { until } from '../support/wait.ts';
import { BECKON, BECKON_TRIGGER, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

const TYPE = 'beckonTriggerApi';

const SECRET = 'a-long-random-text-1f6b';

/** Creates a credential with this secret, in the form in which a node names it. */
async function secretOf({ api }: Bench, secret: string) {
	const { id, name } = await api.createCredential('Secret', TYPE, { secret });
	return { [TYPE]: { id, name } };
}

type ChosenCredentials = Workflow['nodes'][number]['credentials'];

/** Started by a tap; sends on the data of the tap. */
const started = (credentials: ChosenCredentials) =>
	chain('Is started by a tap', [
		{ ...node('Tapped', BECKON_TRIGGER), credentials },
		node('Tell', BECKON, { title: '=Shipping {{ $json.data.order }}' }),
	]);

/** The path on which n8n makes the trigger of this name listen. */
const WEBHOOK = 'Tapped/beckon';

/** Sends a push with a button that starts the other workflow. */
const sending = (n8nUrl: string, credentials: ChosenCredentials) =>
	chain('Sends a button', [
		node('Begin', MANUAL_TRIGGER),
		{
			...node('Send', BECKON, {
				title: 'New order 7',
				actions: {
					button: [
						{
							title: 'Ship it',
							type: 'start_workflow',
							url: `${n8nUrl}/webhook/${WEBHOOK}`,
							data: '{ "order": 7 }',
						},
					],
				},
				triggerCredential: 'beckonTrigger',
			}),
			credentials,
		},
	]);

/** Sends the push and taps its button. */
async function sendAndTap(bench: Bench, secret: string) {
	const { api, n8n, phone, save } = bench;
	const workflow = await save(sending(n8n.url, await secretOf(bench, secret)));
	const { status, error } = await api.settled(await api.run(workflow, 'Begin'));
	expect(error?.message).toBeUndefined();
	expect(status).toBe('success');
	const push = (await phone.sent()).at(-1);
	return await phone.tap({ delivery_id: push?.id ?? 0, action: 0 });
}

export const checkTrigger: Check = (bench) => {
	describe('the Beckon Trigger', () => {
		let workflowId = '';

		beforeAll(async () => {
			const workflow = await bench().save(started(await secretOf(bench(), SECRET)));
			await bench().api.activate(workflow);
			await bench().n8n.callWebhook(WEBHOOK);
			workflowId = workflow.id;
		});

		it('has its secret in a credential, and not in what is exported of a workflow', async () => {
			const chosen = await secretOf(bench(), SECRET);
			const saved = await bench().save(sending(bench().n8n.url, chosen));
			expect(JSON.stringify(saved)).not.toContain(SECRET);
			expect(
				await bench().api.testCredential({ ...chosen[TYPE], type: TYPE }, { secret: SECRET }),
			).toEqual(expect.objectContaining({ status: 'OK' }));
		});

		it('starts nothing for a button with a wrong secret', async () => {
			expect(await sendAndTap(bench(), 'guessed')).toMatchObject({
				outcome: 'failed',
				status: 403,
			});
			expect(await bench().api.executions(workflowId)).toEqual([]);
		});

		it('starts its workflow with what the button brings', async () => {
			const { api, phone } = bench();
			expect(await sendAndTap(bench(), SECRET)).toMatchObject({
				outcome: 'called',
				status: 200,
				message: 'Done.',
			});
			const { id } = await until(async () => (await api.executions(workflowId))[0], {
				what: 'started execution',
			});
			const { status, itemsOf } = await api.ended(id);
			expect(status).toBe('success');
			expect(itemsOf('Tapped')).toMatchObject([{ json: { data: { order: 7 } } }]);
			expect(JSON.stringify(itemsOf('Tapped'))).not.toContain(SECRET);
			expect((await phone.sent()).at(-1)).toMatchObject({ push: { title: 'Shipping 7' } });
		});
	});
};
