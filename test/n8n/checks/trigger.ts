import { randomUUID } from 'node:crypto';

import type { Check } from './check.ts';
import type { Bench } from '../support/bench.ts';
import { Gate } from '../support/gate.ts';
import { LINE_2 } from '../support/lines.ts';
import type { Credential, SavedWorkflow } from '../support/n8n-api.ts';
import { until } from '../support/wait.ts';
import { BECKON, BECKON_TRIGGER, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

/** Seconds that the work of a slow workflow takes. */
const SLOW = 3;

/** Started by a tap, and slow: a kill comes while some are under way. Each trigger has an id of its own. */
const started = (name: string, last = node('Work', 'n8n-nodes-base.noOp')) =>
	chain(name, [{ ...node('Beckon Trigger', BECKON_TRIGGER), id: randomUUID() }, last]);

const slowly = node('Work', 'n8n-nodes-base.wait', { amount: SLOW, unit: 'seconds' });

interface Trigger {
	trigger_id: string;
	name: string;
	listening: boolean;
}

async function triggers({ access }: Bench): Promise<Trigger[]> {
	const response = await fetch(`${access.baseUrl}/triggers`, {
		headers: { authorization: `Bearer ${access.apiKey}` },
	});
	return ((await response.json()) as { triggers: Trigger[] }).triggers;
}

/** The trigger of this name, once it listens, or no longer does. */
const listening = async (bench: Bench, name: string, is = true): Promise<Trigger> =>
	await until(
		async () => (await triggers(bench)).find((one) => one.name === name && one.listening === is),
		{ what: `trigger ${name}${is ? '' : ' not'} listening`, seconds: 60 },
	);

/** Saves and activates a workflow, and waits until it listens. */
async function listen(
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
async function button(bench: Bench, trigger: string, more: Record<string, unknown> = {}) {
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

const everyTap = { firstTap: false };

/** The taps of the executions of a workflow, once there are as many executions as given. */
async function executed({ api }: Bench, workflowId: string, count: number) {
	return await until(
		async () => {
			const all = await api.executions(workflowId);
			return all.length >= count ? all : undefined;
		},
		{ what: `${count} executions`, seconds: 90 },
	);
}

/** Waits until nothing of a workflow runs any more. */
async function idle({ api }: Bench, workflowId: string) {
	return await until(
		async () => {
			const all = await api.executions(workflowId);
			return all.some(({ status }) => ['new', 'running'].includes(status)) ? undefined : all;
		},
		{ what: 'end of all executions', seconds: 90 },
	);
}

export const checkTrigger: Check = (bench, line) => {
	describe('the Beckon Trigger', () => {
		it('is in the list once it listens, and starts its workflow with what the button brings', async () => {
			const { api, credential } = bench();
			const { id, trigger } = await listen(bench(), started('Ships orders'));
			const choices = await api.search({
				nodeType: BECKON,
				path: 'actions.button[0].trigger',
				methodName: 'searchTriggers',
				credential,
				filter: 'ships',
			});
			expect(choices).toEqual([{ name: 'Ships orders', value: trigger }]);
			const tap = await button(bench(), trigger);
			expect(await tap()).toMatchObject({
				outcome: 'called',
				message: '“Ships orders” starts.',
			});
			expect(await tap()).toMatchObject({ outcome: 'refused' });
			const [execution] = await executed(bench(), id, 1);
			const { status, itemsOf } = await api.ended(execution?.id ?? '');
			expect(status).toBe('success');
			expect(itemsOf('Beckon Trigger')).toEqual([
				expect.objectContaining({
					json: {
						data: { order: 7 },
						button: 'Go',
						responder: { name: expect.any(String), device: expect.any(String) },
						tappedAt: expect.any(String),
						tapId: expect.any(String),
					},
				}),
			]);
			expect(await api.executions(id)).toHaveLength(1);
		});

		it('runs once per tap, also if the workflow fails', async () => {
			const failing = node('Work', 'n8n-nodes-base.stopAndError', { errorMessage: 'No' });
			const { id, trigger } = await listen(bench(), started('Fails', failing));
			const tap = await button(bench(), trigger, everyTap);
			for (let count = 1; count <= 3; count += 1) await tap();
			await executed(bench(), id, 3);
			await tap();
			await executed(bench(), id, 4);
			const all = await idle(bench(), id);
			expect(all.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'error']);
		});

		it('lets taps wait while the workflow is not active, and says so', async () => {
			const { api } = bench();
			const workflow = started('Is switched off');
			const saved = await listen(bench(), workflow);
			const tap = await button(bench(), saved.trigger);
			await api.deactivate(saved);
			await listening(bench(), workflow.name, false);
			expect(await tap()).toMatchObject({
				message: 'Nothing listens for “Is switched off” now. Your tap waits for a day.',
			});
			expect(await api.executions(saved.id)).toEqual([]);
			await api.activate(saved);
			await executed(bench(), saved.id, 1);
		});

		it('is another trigger in an imported copy', async () => {
			const workflow = started('Original');
			const first = await listen(bench(), workflow);
			const second = await listen(bench(), { ...workflow, name: 'Copy' });
			expect(second.trigger).not.toBe(first.trigger);
			await (
				await button(bench(), second.trigger)
			)();
			await executed(bench(), second.id, 1);
			expect(await bench().api.executions(first.id)).toEqual([]);
		});

		it('gives the editor a copy of the next tap, without activation', async () => {
			const { api } = bench();
			const saved = await bench().save(started('Is tried'));
			const id = await api.run(saved, 'Beckon Trigger');
			const { trigger_id: trigger } = await listening(bench(), 'Is tried');
			await (
				await button(bench(), trigger)
			)();
			const { status, itemsOf } = await api.ended(id);
			expect(status).toBe('success');
			expect(itemsOf('Beckon Trigger')).toMatchObject([{ json: { data: { order: 7 } } }]);
		});

		it('is not activated with a wrong key, whose owner learns why', async () => {
			const { api, access, save } = bench();
			const wrong = await api.createCredential('Wrong', 'beckonApi', {
				...access,
				apiKey: 'bk_wrong',
			});
			const saved = await save(started('Has a wrong key'), wrong);
			const outcome = await api.activate(saved).then(
				async () => await api.publicationError(saved.id),
				(error: unknown) => String(error),
			);
			expect(outcome).toMatch(/API key|API Key/);
		});

		it('gets all taps after n8n was killed with some waiting and some under way', async () => {
			const { n8n } = bench();
			const { id, trigger } = await listen(bench(), started('Survives', slowly));
			const tap = await button(bench(), trigger, everyTap);
			for (let count = 0; count < 6; count += 1) await tap();
			await executed(bench(), id, 1);
			await n8n.kill();
			for (let count = 0; count < 6; count += 1) await tap();
			await n8n.start();
			await executed(bench(), id, 12);
			// Its turn comes after all others.
			await tap();
			await executed(bench(), id, 13);
			const all = await idle(bench(), id);
			if (line === LINE_2) expect(all).toHaveLength(13);
			else expect(all.length).toBeGreaterThanOrEqual(13);
		});

		it('listens although the server was down when n8n started', async () => {
			const { api, n8n, access } = bench();
			const gate = new Gate(access.baseUrl);
			await gate.open();
			try {
				const credential = await api.createCredential('Gate', 'beckonApi', {
					...access,
					baseUrl: gate.url,
				});
				const { id, trigger } = await listen(bench(), started('Is patient'), credential);
				const tap = await button(bench(), trigger);
				await n8n.stop();
				await gate.close();
				await n8n.start();
				await listening(bench(), 'Is patient', false);
				await tap();
				await gate.open();
				await executed(bench(), id, 1);
			} finally {
				await gate.close();
			}
		});
	});
};
