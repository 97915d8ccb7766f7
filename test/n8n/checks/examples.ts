import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Delivery, Snapshot } from '../../../server/src/contract/device.ts';
import type { Check } from './check.ts';
import type { Bench } from '../support/bench.ts';
import { LINE_2, type Line } from '../support/lines.ts';
import type { Execution, Item, Workflow } from '../support/n8n-api.ts';
import {
	allowAgent,
	execute,
	executeAndFillIn,
	executeAndStart,
	executeAndTap,
	failElsewhere,
	type Play,
	useTools,
} from './example-plays.ts';

const FOLDER = path.join(import.meta.dirname, '../../../examples');

/** The visible effects of a run: on n8n's side, and on the phone's. */
interface Seen {
	execution: Execution;
	/** Deliveries during the run, oldest first. */
	deliveries: Delivery[];
	snapshot: Snapshot;
}

const first = (items: Item[]) => items[0]?.json ?? {};

const kinds = (deliveries: Delivery[]) => deliveries.map(({ kind }) => kind);

const widget = ({ metrics }: Snapshot, key: string) =>
	metrics.find((metric) => metric.key === key)?.value;

interface Example {
	/** Tries the example; by default it is executed. */
	play?: Play;
	/** The lines of n8n that it supports; by default all. */
	lines?: Line[];
	/** Checks the visible effects. */
	shows: (seen: Seen) => void;
}

/** All examples, and the expected state of the phone after each. A new example adds its line here. */
const EXAMPLES: Record<string, Example> = {
	'backup-timer': {
		shows: ({ deliveries }) => {
			expect(kinds(deliveries)).toEqual(['activity_start', 'activity_update', 'activity_end']);
			const states = deliveries.map((delivery) => 'activity' in delivery && delivery.activity);
			expect(states).toMatchObject([
				{ content_state: { type: 'timer', title: 'Nightly backup', timer: { is_running: true } } },
				{ content_state: { subtitle: 'Verifying', timer: { is_running: true } } },
				{
					content_state: {
						title: 'Backup done',
						subtitle: 'All files verified',
						color: 'lime',
						timer: { is_running: false },
					},
				},
			]);
		},
	},
	'badge-count': {
		shows: ({ execution, deliveries, snapshot }) => {
			const { tickets } = first(execution.itemsOf('Open Tickets'));
			expect(kinds(deliveries)).toEqual(['badge']);
			expect(snapshot.badge).toBe((tickets as string[]).length);
		},
	},
	'deployment-steps': {
		shows: ({ deliveries }) => {
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
	},
	'revenue-metric': {
		shows: ({ execution, deliveries, snapshot }) => {
			const { revenue } = first(execution.itemsOf('Sum of the Day'));
			expect(deliveries).toEqual([]);
			expect(widget(snapshot, 'revenue.today')).toBe(revenue);
		},
	},
	'sale-push': {
		shows: ({ execution, deliveries }) => {
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
	},
	'server-metrics': {
		shows: ({ execution, deliveries, snapshot }) => {
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
	},
	'loop-progress': {
		shows: ({ deliveries }) => {
			const percentages = deliveries.flatMap((delivery) =>
				'activity' in delivery && delivery.activity.content_state.type === 'progress'
					? [delivery.activity.content_state.percentage]
					: [],
			);
			expect(percentages).toEqual([0, 13, 25, 38, 50, 63, 75, 88, 100]);
			expect(deliveries.at(-1)).toMatchObject({
				kind: 'activity_end',
				activity: { content_state: { title: 'Photos converted', subtitle: '8 files' } },
			});
		},
	},
	approval: {
		play: executeAndTap,
		shows: ({ deliveries }) => {
			expect(deliveries).toMatchObject([
				{
					push: {
						title: 'Deploy 1.4.0?',
						question: { choices: [{ title: 'Deploy' }, { title: 'Not now' }] },
					},
				},
				{ push: { title: 'Deployed 1.4.0', message: expect.stringMatching(/^Approved by \S/) } },
			]);
		},
	},
	'reply-from-phone': {
		play: executeAndFillIn,
		shows: ({ execution, deliveries }) => {
			expect(deliveries).toMatchObject([
				{ push: { title: 'Grace asks', question: { text: { multiline: true } } } },
				{
					push: { title: 'Details of the delivery', question: { link: { title: 'Fill in' } } },
				},
				{
					push: {
						title: 'Reply sent to Grace',
						message: '2 parcels, morning: Yes, we can. Best, Ada (from the phone)',
					},
				},
			]);
			expect(first(execution.itemsOf('Ask for Details'))).toEqual({
				data: {
					status: 'answered',
					Parcels: 2,
					Time: 'Morning',
					Note: null,
					responder: null,
					respondedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				},
			});
		},
	},
	'alarm-until-seen': {
		shows: ({ execution, deliveries }) => {
			expect(deliveries).toMatchObject([{ push: { title: 'Water in the cellar' } }]);
			expect(execution.itemsOf('All Clear')).toMatchObject([{ json: { outcome: 'stopped' } }]);
		},
	},
	'picture-of-the-door': {
		shows: ({ deliveries }) => {
			expect(deliveries).toMatchObject([
				{
					push: {
						title: 'Somebody is at the front door',
						media: expect.stringMatching(/^https:\/\/beckon\.example\.com\/images\/[\w-]{43}$/),
					},
				},
			]);
		},
	},
	'button-starts-workflow': {
		play: executeAndStart,
		shows: ({ deliveries }) => {
			expect(deliveries).toMatchObject([
				{ push: { title: 'The plants are dry', actions: [{ title: 'Water them' }] } },
				{
					push: { title: 'Watered for 20 seconds', message: expect.stringMatching(/ tapped on /) },
				},
			]);
		},
	},
	'error-push': {
		play: failElsewhere,
		shows: ({ deliveries }) => {
			expect(deliveries).toMatchObject([
				{
					push: {
						title: 'Nightly backup failed',
						subtitle: 'Copy Files',
						message: 'The disk is full',
						redirection: expect.stringContaining('/executions/'),
						tags: ['error', 'n8n'],
					},
				},
			]);
		},
	},
	'agent-asks-permission': {
		// Human review of an agent's tools is new in n8n 2.
		lines: [LINE_2],
		play: allowAgent,
		shows: ({ execution, deliveries }) => {
			expect(deliveries).toMatchObject([
				{
					push: {
						title: 'The agent asks for permission',
						message: expect.stringContaining('web-1'),
					},
				},
			]);
			expect(execution.itemsOf('Agent')).toMatchObject([
				{ json: { output: 'web-1 was restarted.' } },
			]);
		},
	},
	'agent-with-tools': {
		play: useTools,
		shows: ({ deliveries }) => {
			expect(deliveries).toMatchObject([
				{ push: { title: 'Lunch is at one' } },
				{ push: { title: 'The agent is done', message: 'The team knows.' } },
			]);
		},
	},
};

const FILES = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => path.basename(file, '.json'));

const read = (example: string) =>
	JSON.parse(readFileSync(path.join(FOLDER, `${example}.json`), 'utf8')) as Workflow;

/** Imports an example, runs it, and collects its effects. */
async function see(bench: Bench, workflow: Workflow, play: Play): Promise<Seen> {
	const { phone } = bench;
	const before = (await phone.sent()).length;
	const execution = await play(bench, workflow);
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	const deliveries = (await phone.sent()).slice(before);
	return { execution, deliveries, snapshot: await phone.snapshot() };
}

export const checkExamples: Check = (bench, line) => {
	describe('the examples', () => {
		it('are all tried', () => {
			expect(FILES.sort()).toEqual(Object.keys(EXAMPLES).sort());
		});

		const tried = Object.entries(EXAMPLES).filter(([, { lines }]) => lines?.includes(line) ?? true);

		it.each(tried)('%s reaches the phone', async (example, { play = execute, shows }) => {
			shows(await see(bench(), read(example), play));
		});
	});
};
