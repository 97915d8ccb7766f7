import { randomUUID } from 'node:crypto';

import type { Bench } from './bench.ts';
import type { Credential, SavedWorkflow, WorkflowNode } from './n8n-api.ts';
import { until } from './wait.ts';
import { BECKON, BECKON_TRIGGER, chain, MANUAL_TRIGGER, node } from './workflows.ts';

/** Started by a tap. Each trigger has an id of its own. */
export const started = (name: string, ...rest: WorkflowNode[]) =>
	chain(name, [
		{ ...node('Beckon Trigger', BECKON_TRIGGER), id: randomUUID() },
		...(rest.length > 0 ? rest : [node('Work', 'n8n-nodes-base.noOp')]),
	]);

interface Trigger {
	trigger_id: string;
	name: string;
	listening: boolean;
}

export async function triggers({ access }: Bench): Promise<Trigger[]> {
	const response = await fetch(`${access.baseUrl}/triggers`, {
		headers: { authorization: `Bearer ${access.apiKey}` },
	});
	return ((await response.json()) as { triggers: Trigger[] }).triggers;
}

/** The trigger of this name, once it listens, or no longer does. */
export const listening = async (bench: Bench, name: string, is = true): Promise<Trigger> =>
	await until(
		async () => (await triggers(bench)).find((one) => one.name === name && one.listening === is),
		{ what: `trigger ${name}${is ? '' : ' not'} listening` },
	);

/** Saves and activates a workflow, and waits until it listens. */
export async function listen(
	bench: Bench,
	workflow: ReturnType<typeof chain>,
	credential?: Credential,
): Promise<SavedWorkflow & { trigger: string }> {
	const saved = await bench.save(workflow, credential);
	await bench.api.activate(saved);
	const { trigger_id: trigger } = await listening(bench, workflow.name);
	return { ...saved, trigger };
}

/** Sends a push with a button, as the node does. @returns a function that taps it */
export async function button(bench: Bench, trigger: string, more: Record<string, unknown> = {}) {
	const { api, phone, save } = bench;
	const row = { title: 'Go', type: 'start_workflow', data: '{ "order": 7 }', ...more };
	const workflow = await save(
		chain('Sends a button', [
			node('Begin', MANUAL_TRIGGER),
			node('Send', BECKON, {
				title: 'Order 7',
				actions: { button: [{ ...row, trigger: { __rl: true, mode: 'list', value: trigger } }] },
			}),
		]),
	);
	const { error } = await api.settled(await api.run(workflow, 'Begin'));
	expect(error?.message).toBeUndefined();
	const push = (await phone.sent()).at(-1);
	return async () => await phone.tap({ delivery_id: push?.id ?? 0, action: 0 });
}

export const everyTap = { firstTap: false };

export async function times(count: number, tap: () => Promise<unknown>): Promise<void> {
	for (let done = 0; done < count; done += 1) await tap();
}

/** The taps of the executions of a workflow, once there are as many executions as given. */
export async function executed({ api }: Pick<Bench, 'api'>, workflowId: string, count: number) {
	return await until(
		async () => {
			const all = await api.executions(workflowId);
			return all.length >= count ? all : undefined;
		},
		{ what: `${count} executions` },
	);
}

/** Waits until nothing of a workflow runs any more. */
export async function idle({ api }: Pick<Bench, 'api'>, workflowId: string) {
	return await until(
		async () => {
			const all = await api.executions(workflowId);
			return all.some(({ status }) => ['new', 'running'].includes(status)) ? undefined : all;
		},
		{ what: 'end of all executions' },
	);
}
