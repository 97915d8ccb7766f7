import { setTimeout as pause } from 'node:timers/promises';

import type { Check } from './check.ts';
import { withCredential } from '../support/bench.ts';
import { Gate } from '../support/gate.ts';
import { LINE_2 } from '../support/lines.ts';
import { N8nApi } from '../support/n8n-api.ts';
import {
	button,
	everyTap,
	executed,
	idle,
	listen,
	listening,
	started,
	times,
	triggers,
} from '../support/triggers.ts';
import { until } from '../support/wait.ts';
import { BECKON, BECKON_TRIGGER, chain, node } from '../support/workflows.ts';

/** Seconds that the work of a slow workflow takes. */
const SLOW = 3;

/** Seconds after n8n's start for which the server is away: five tries of the node, whose pauses double. */
const AWAY = 20;

/** More than the node lets run at a time. */
const MANY = 12;

/** A kill comes while some are under way. */
const slowly = node('Work', 'n8n-nodes-base.wait', { amount: SLOW, unit: 'seconds' });

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
				message: '“Ships orders” is starting.',
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
			await times(3, tap);
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
				message: '“Is switched off” is not running right now. Your tap is kept for a day.',
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
				async () => await api.activationError(saved.id),
				(error: unknown) => String(error),
			);
			expect(outcome).toMatch(/API key|API Key/);
		});

		it('says after a start of n8n that its key has become wrong', async () => {
			const { api, access, n8n } = bench();
			const credential = await api.createCredential('Will be wrong', 'beckonApi', access);
			const saved = await listen(bench(), started('Lost its key'), credential);
			await api.changeCredential(credential, { ...access, apiKey: 'bk_wrong' });
			await n8n.restart();
			if (line === LINE_2) {
				const [failed] = await executed(bench(), saved.id, 1);
				const { status, error } = await api.execution(failed?.id ?? '');
				expect({ status, message: error?.message }).toEqual({
					status: 'error',
					message: expect.stringMatching(/API key/i),
				});
			} else expect(await api.activationError(saved.id)).toMatch(/API key/i);
			await api.deactivate(saved);
		});

		it('starts the workflow once per tap while it is renamed, saved and published', async () => {
			const { api } = bench();
			const workflow = started('Is edited', slowly);
			const saved = await listen(bench(), workflow);
			const tap = await button(bench(), saved.trigger, everyTap);
			await times(2, tap);
			const renamed = await api.update(saved, { name: 'Is renamed' });
			await times(2, tap);
			const nodes = renamed.nodes.map((one) =>
				one.type === BECKON_TRIGGER ? { ...one, name: 'On Tap' } : one,
			);
			const { connections } = chain('', nodes);
			const changed = api.update(renamed, { nodes, connections });
			await times(2, tap);
			// Only n8n 1 restarts a trigger that has not changed.
			await api.activate(await changed);
			await times(2, tap);
			expect(await listening(bench(), 'Is renamed: On Tap')).toMatchObject({
				trigger_id: saved.trigger,
			});
			await times(2, tap);
			await executed(bench(), saved.id, 10);
			expect(await idle(bench(), saved.id)).toHaveLength(10);
		});

		it('is done with a tap once its execution waits', async () => {
			const { api } = bench();
			const url = '={{ JSON.stringify({ url: $execution.resumeUrl }) }}';
			const saved = await listen(
				bench(),
				started(
					'Waits',
					{
						...node('Address', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: url }),
						typeVersion: 3.4,
					},
					node('Work', 'n8n-nodes-base.wait', { resume: 'webhook' }),
				),
			);
			const tap = await button(bench(), saved.trigger, everyTap);
			await times(MANY, tap);
			await executed(bench(), saved.id, MANY);
			await idle(bench(), saved.id);
			await api.deactivate(saved);
			await api.activate(saved);
			await tap();
			const [last] = await executed(bench(), saved.id, MANY + 1);
			const { itemsOf, status } = await api.settled(last?.id ?? '');
			expect(status).toBe('waiting');
			const address = itemsOf('Address')[0]?.json['url'];
			expect((await fetch(String(address))).status).toBe(200);
			expect((await api.ended(last?.id ?? '')).status).toBe('success');
			expect(await api.executions(saved.id)).toHaveLength(MANY + 1);
		});

		it('gets all taps after n8n was killed with some waiting and some under way', async () => {
			const { n8n } = bench();
			const { id, trigger } = await listen(bench(), started('Survives', slowly));
			const tap = await button(bench(), trigger, everyTap);
			await times(6, tap);
			await executed(bench(), id, 1);
			await n8n.kill();
			await times(6, tap);
			await n8n.start();
			await executed(bench(), id, 12);
			// Its turn comes after all others.
			await tap();
			await executed(bench(), id, 13);
			const all = await idle(bench(), id);
			if (line === LINE_2) expect(all).toHaveLength(13);
			else expect(all.length).toBeGreaterThanOrEqual(13);
		});

		it('listens although the server was away when n8n started, and for some time', async () => {
			const { api, n8n, access } = bench();
			const gate = new Gate(access.baseUrl);
			await gate.open();
			try {
				const credential = await api.createCredential('Gate', 'beckonApi', {
					...access,
					baseUrl: gate.url,
				});
				const { id, trigger } = await listen(bench(), started('Is patient', slowly), credential);
				const tap = await button(bench(), trigger, everyTap);
				await times(3, tap);
				await executed(bench(), id, 1);
				await n8n.stop();
				await gate.close();
				await n8n.start();
				await listening(bench(), 'Is patient', false);
				await times(3, tap);
				await pause(AWAY * 1_000);
				await gate.open();
				await executed(bench(), id, 6);
				expect(await idle(bench(), id)).toHaveLength(6);
			} finally {
				await gate.close();
			}
		});

		it('is another trigger in another n8n, but in a clone the same, to which one of both listens', async () => {
			const { n8n, api, access, another } = bench();
			const workflow = started('Has twins');
			const saved = await listen(bench(), workflow);
			await n8n.stop();
			const [clone, other] = [await another(true), await another(false)];
			await Promise.all([n8n.start(), clone.start(), other.start()]);

			const otherApi = new N8nApi(other.url, line);
			await otherApi.setUpOwner();
			const credential = await otherApi.createCredential('Beckon', 'beckonApi', access);
			const imported = await otherApi.createWorkflow({
				...withCredential(workflow, credential),
				id: saved.id,
			});
			await otherApi.activate(imported);
			const twins = await until(
				async () => {
					const named = (await triggers(bench())).filter(({ name }) => name === 'Has twins');
					return named.length === 2 && named.every((one) => one.listening) ? named : undefined;
				},
				{ what: 'second trigger' },
			);
			const foreign = twins.find(({ trigger_id: id }) => id !== saved.trigger);
			const tapOther = await button(bench(), foreign?.trigger_id ?? '');
			await tapOther();
			await executed({ api: otherApi }, imported.id, 1);
			await other.stop();

			const cloneApi = api.at(clone.url);
			await cloneApi.deactivate(saved);
			// The newest listens.
			await cloneApi.activate(saved);
			const tap = await button(bench(), saved.trigger, everyTap);
			await times(3, tap);
			await executed({ api: cloneApi }, saved.id, 3);
			const inClone = await idle({ api: cloneApi }, saved.id);
			await clone.stop();
			await times(2, tap);
			await executed(bench(), saved.id, 2);
			expect([inClone.length, (await idle(bench(), saved.id)).length]).toEqual([3, 2]);
		});
	});
};
