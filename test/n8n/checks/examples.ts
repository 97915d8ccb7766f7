import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Delivery, Snapshot } from '../../../server/src/contract/device.ts';
import type { Check } from '../check-line.ts';
import type { Bench } from '../support/bench.ts';
import type { Execution, Item, Workflow } from '../support/n8n-api.ts';

const FOLDER = path.join(import.meta.dirname, '../../../examples');

/** What can be seen of a run: on n8n's side, and on the phone's. */
interface Seen {
	execution: Execution;
	/** What reached the phone during the run, oldest first. */
	deliveries: Delivery[];
	snapshot: Snapshot;
}

const first = (items: Item[]) => items[0]?.json ?? {};

const kinds = (deliveries: Delivery[]) => deliveries.map(({ kind }) => kind);

const widget = ({ metrics }: Snapshot, key: string) =>
	metrics.find((metric) => metric.key === key)?.value;

/** For each example what the phone must show after its run. A new example adds its line here. */
const SHOWN: Record<string, (seen: Seen) => void> = {
	'backup-timer': ({ deliveries }) => {
		expect(kinds(deliveries)).toEqual(['activity_start', 'activity_update', 'activity_end']);
		const states = deliveries.map((delivery) => 'activity' in delivery && delivery.activity);
		expect(states).toMatchObject([
			{ content_state: { type: 'timer', title: 'Nightly backup', timer: { is_running: true } } },
			{ content_state: { subtitle: 'Verifying', timer: { is_running: true } } },
			{ content_state: { title: 'Backup done', color: 'lime', timer: { is_running: false } } },
		]);
	},
	'badge-count': ({ execution, deliveries, snapshot }) => {
		const { tickets } = first(execution.itemsOf('Open Tickets'));
		expect(kinds(deliveries)).toEqual(['badge']);
		expect(snapshot.badge).toBe((tickets as string[]).length);
	},
	'deployment-steps': ({ deliveries }) => {
		expect(kinds(deliveries)).toEqual([
			'activity_start',
			'activity_update',
			'activity_update',
			'activity_update',
			'activity_end',
			'push',
		]);
		const steps = deliveries.flatMap((delivery) =>
			'activity' in delivery && delivery.activity.content_state.type === 'segmented_progress'
				? [delivery.activity.content_state.current_step]
				: [],
		);
		expect(steps).toEqual([1, 2, 3, 4, 4]);
		expect(deliveries.at(-1)).toMatchObject({
			push: { title: 'The web shop is deployed', tags: ['deploy', 'env:production'] },
		});
	},
	'revenue-metric': ({ execution, deliveries, snapshot }) => {
		const { revenue } = first(execution.itemsOf('Sum of the Day'));
		expect(deliveries).toEqual([]);
		expect(widget(snapshot, 'revenue.today')).toBe(revenue);
	},
	'sale-push': ({ execution, deliveries }) => {
		const { order, customer, amount } = first(execution.itemsOf('A Sale'));
		expect(deliveries).toMatchObject([
			{
				push: {
					title: `New order ${String(order)}`,
					subtitle: 'Web shop',
					message: `${String(customer)} bought something for ${String(amount)} €`,
					actions: [
						{ title: 'Open order', url: `https://shop.example.com/orders/${String(order)}` },
						{ title: 'Ship it', type: 'webhook' },
					],
				},
			},
		]);
	},
	'server-metrics': ({ execution, deliveries, snapshot }) => {
		const { cpu, memory, disk } = first(execution.itemsOf('Measure'));
		expect(deliveries).toMatchObject([
			{
				activity: {
					stream_key: 'server-metrics',
					content_state: {
						metrics: [
							{ label: 'CPU', value: cpu },
							{ label: 'Memory', value: memory },
							{ label: 'Disk', value: disk },
						],
					},
				},
			},
		]);
		expect(widget(snapshot, 'cpu.load')).toBe(cpu);
	},
};

const EXAMPLES = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => path.basename(file, '.json'));

const read = (example: string) =>
	JSON.parse(readFileSync(path.join(FOLDER, `${example}.json`), 'utf8')) as Workflow;

const triggerOf = ({ name, nodes }: Workflow): string => {
	const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	if (!trigger) throw new Error(`"${name}" has no trigger to try it with`);
	return trigger.name;
};

/** Imports an example, runs it once, and looks. */
async function play(example: string, { api, phone, save }: Bench): Promise<Seen> {
	const before = (await phone.inbox()).length;
	const workflow = await save(read(example));
	const execution = await api.settled(await api.run(workflow, triggerOf(workflow)));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	const deliveries = (await phone.inbox()).slice(before);
	return { execution, deliveries, snapshot: await phone.snapshot() };
}

export const checkExamples: Check = (bench) => {
	describe('the examples', () => {
		it.each(EXAMPLES)('%s reaches the phone', async (example) => {
			const shown = SHOWN[example];
			if (!shown) throw new Error(`Say in test/n8n/checks/examples.ts what ${example} shows`);
			shown(await play(example, bench()));
		});
	});
};
