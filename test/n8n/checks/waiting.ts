import type { Check } from '../check-line.ts';
import type { Bench } from '../support/bench.ts';
import type { Workflow, WorkflowNode } from '../support/n8n-api.ts';

const node = (name: string, type: string, parameters: Record<string, unknown>): WorkflowNode => ({
	name,
	type,
	parameters,
	id: name,
	typeVersion: type.endsWith('.wait') ? 1.1 : 1,
	position: [0, 0],
	webhookId: name,
});

/** One node after another. */
function chain(name: string, nodes: WorkflowNode[]): Workflow {
	const links = nodes.slice(1).map((next, index) => {
		const main = [[{ node: next.name, type: 'main', index: 0 }]];
		return [nodes[index]?.name, { main }] as const;
	});
	return { name, nodes, connections: Object.fromEntries(links) };
}

/** Asks with a button that calls n8n's own Wait node, and says when it was tapped. */
const ASKS = chain('Asks and waits', [
	node('Begin', 'n8n-nodes-base.manualTrigger', {}),
	node('Ask', 'n8n-nodes-beckon.beckon', {
		title: 'Deploy?',
		actions: {
			button: [
				{ title: 'Go', type: 'webhook', url: '={{ $execution.resumeUrl }}', method: 'POST' },
			],
		},
	}),
	node('Wait', 'n8n-nodes-base.wait', { resume: 'webhook', httpMethod: 'POST' }),
	node('Tell', 'n8n-nodes-beckon.beckon', { title: 'Deploying' }),
]);

const ASKED = { push: { title: 'Deploy?' } };

const TOLD = { push: { title: 'Deploying' } };

/** Runs the workflow to where it waits, and returns the push that is on the phone then. */
async function ask({ api, phone, save }: Bench) {
	const workflow = await save(ASKS);
	const executionId = await api.run(workflow, 'Begin');
	const { status, error } = await api.settled(executionId);
	expect(error?.message).toBeUndefined();
	expect(status).toBe('waiting');
	const push = (await phone.inbox()).at(-1);
	expect(push).toMatchObject(ASKED);
	return { workflowId: workflow.id, executionId, pushId: push?.id ?? 0 };
}

export const checkWaiting: Check = (bench) => {
	describe('a workflow that waits for a button', () => {
		it('goes on when the button is tapped', async () => {
			const { api, phone } = bench();
			const { executionId, pushId } = await ask(bench());
			expect(await phone.tapPushButton(pushId, 0)).toMatchObject({ outcome: 'called' });
			expect((await api.ended(executionId)).status).toBe('success');
			expect((await phone.inbox()).at(-1)).toMatchObject(TOLD);
		});

		it('goes on when n8n was restarted meanwhile', async () => {
			const { api, n8n, phone } = bench();
			const { executionId, pushId } = await ask(bench());
			await n8n.restart();
			expect(await phone.tapPushButton(pushId, 0)).toMatchObject({ outcome: 'called' });
			expect((await api.ended(executionId)).status).toBe('success');
			expect((await phone.inbox()).at(-1)).toMatchObject(TOLD);
		});

		it('sends nothing more when it was cancelled', async () => {
			const { api, phone } = bench();
			const { workflowId, executionId, pushId } = await ask(bench());
			await api.cancel(executionId);
			expect(await api.executions(workflowId)).toMatchObject([
				{ id: executionId, status: 'canceled' },
			]);
			await phone.tapPushButton(pushId, 0);
			expect((await phone.inbox()).at(-1)).toMatchObject(ASKED);
		});
	});
};
