import type { INode } from 'n8n-workflow';

import { runBeckon } from '../engine/one-node.ts';
import type { WorkflowJson } from '../engine/run-workflow.ts';
import { RecordingServer } from '../engine/recording-server.ts';
import { WaitingExecution } from '../engine/waiting.ts';
import { asks } from './asking.ts';
import { toNode } from '../../server/web/console/playground/copies.ts';
import { REQUESTS } from '../../server/web/console/playground/requests.ts';

let service: RecordingServer;

beforeAll(async () => {
	service = await RecordingServer.start();
});

afterAll(() => {
	service.stop();
});

type Body = Record<string, unknown>;

const open = { title: 'Open', type: 'open_url', url: 'https://example.com/run' };
const call = {
	title: 'Approve',
	type: 'webhook',
	url: 'https://example.com/hook',
	method: 'POST',
	body: { order: { id: 42 } },
};
const look = {
	title: 'Deploy "web"',
	subtitle: 'line 1\nline 2',
	icon: { symbol: 'bolt.fill', color: 'red' },
	color: 'purple',
};
const badge = { title: 'Beta', color: 'lime' };
const kept = { tags: ['deploy', 'env:prod'], metadata: { run: 7, by: 'Ada', ok: true, at: null } };
const alert = { title: 'Look', body: 'It moves' };
const rows = [
	{ label: 'CPU', value: 41, unit: '%', color: 'orange' },
	{ label: 'State', value: 'idle' },
];

const ALL_OF_TYPE: Record<string, Body> = {
	segmented_progress: {
		number_of_steps: 4,
		current_step: 2,
		step_color: 'green',
		step_colors: ['lime', 'lime'],
		badge,
	},
	progress: { percentage: 40, value: 4, upper_limit: 10, badge },
	metrics: { metrics: rows },
	stats: { metrics: rows },
	alert: { message: 'Almost full', badge },
	timer: { duration_seconds: 240, counts_down: false, is_running: false },
	value: { value: '21.5 °C', badge },
};

const dismissal = { auto_dismiss_minutes: 5, auto_dismiss_seconds: 30 };

/** The Playground's body for each request, by name; the node must send the same. */
const BODIES: Array<[string, string, Body]> = [
	['push', 'the least', { title: 'Hello' }],
	[
		'push',
		'buttons',
		{
			title: '=1+1',
			message: "it's {{ $json.x }}",
			subtitle: 's',
			icon: 'https://example.com/i.png',
			interruption_level: 'time-sensitive',
			redirection: 'shortcuts://run-shortcut?name=Lights',
			actions: [open, call, { ...call, method: 'GET', body: undefined }],
			payload: { a: { b: [1, null] } },
			badge: 0,
			sound: 'none',
			target: { channels: ['ops', 'sales'] },
			...kept,
		},
	],
	['push', 'a picture', { title: 'x', media: 'https://example.com/cam.jpg' }],
	['repeated', 'the least', { push: { title: 'Hello' }, repeat: { every_minutes: 5, times: 3 } }],
	[
		'repeated',
		'buttons for a channel',
		{
			push: { title: 'Hello', actions: [open, call], target: { channels: ['ops'] }, ...kept },
			repeat: { every_minutes: 60, times: 20 },
		},
	],
	['repeated_stop', 'nothing but the id', {}],
	['badge', 'a number for a channel', { badge: 3, target: { channels: ['ops'] } }],
	['metric', 'a number and a time', { value: 1204.5, timestamp: '2026-01-31T09:30:00.000Z' }],
	['metric', 'a text', { value: 'passing' }],
	...Object.entries(ALL_OF_TYPE).flatMap(([type, own]): Array<[string, string, Body]> => {
		const state = { type, ...look, ...own };
		const hasTwo = !['timer', 'metrics', 'stats'].includes(type);
		const buttons = { action: call, ...(hasTwo && { secondary_action: open }) };
		return [
			[
				'stream',
				type,
				{
					content_state: { ...state, ...dismissal },
					...buttons,
					alert,
					channels: ['ops'],
					...kept,
				},
			],
			[
				'stream_end',
				type,
				{ content_state: { ...state, ...dismissal }, ...buttons, alert, ...kept },
			],
			[
				'start',
				type,
				{ content_state: state, ...buttons, alert, target: { channels: ['ops'] }, ...kept },
			],
			['update', type, { activity_id: 'abc', content_state: state, ...buttons, ...kept }],
			[
				'end',
				type,
				{
					activity_id: 'abc',
					content_state: { ...state, auto_dismiss_minutes: 5 },
					...buttons,
					...kept,
				},
			],
		];
	}),
	['stream_end', 'nothing but the key', {}],
	['stream', 'tags that are cleared', { content_state: { title: 'x' }, tags: [] }],
	['update', 'no type', { activity_id: 'abc', content_state: { title: 'x', badge } }],
];

/** Pastes as n8n's editor does: the nodes of the JSON, each with a new name and id. */
function pasted(text: string): INode {
	const { nodes } = JSON.parse(text) as WorkflowJson;
	expect(nodes).toHaveLength(1);
	return nodes[0]!;
}

const withoutUndefined = (body: Body) => JSON.parse(JSON.stringify(body)) as Body;

describe('a node that was copied in the console and pasted', () => {
	it.each(BODIES)('sends what the Playground sends: %s with %s', async (name, _of, body) => {
		const form = REQUESTS.find((request) => request.name === name)!;
		const key = name === 'repeated_stop' ? 'r'.repeat(32) : (form.key?.example ?? '');
		const node = pasted(toNode(form, key, withoutUndefined(body))!);

		service.requests.length = 0;
		const run = await runBeckon(node.parameters, {
			node: { typeVersion: node.typeVersion },
			credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
		});

		expect([run.status, run.error?.message]).toEqual(['success', undefined]);
		expect(service.requests).toEqual([
			{
				method: form.method,
				path: `/api${form.path.replace(/\{[^}]+\}/, encodeURIComponent(key))}`,
				body: withoutUndefined(body),
			},
		]);
	});

	it('takes the type that the preview shows where the body leaves it out', () => {
		const form = REQUESTS.find(({ name }) => name === 'stream')!;
		const body = { content_state: { percentage: 80 } };
		expect(pasted(toNode(form, 'deploy', body, 'progress')!).parameters).toMatchObject({
			activityType: 'progress',
			percentage: 80,
		});
	});
});

/** The Playground's question, and what the node asks instead where it has no field for a part. */
const QUESTIONS: Array<[string, Body, Body]> = [
	[
		'an approval and everything else',
		{
			title: '=Deploy?',
			message: 'To all',
			subtitle: 's',
			icon: 'https://example.com/i.png',
			media: 'https://example.com/cam.jpg',
			interruption_level: 'critical',
			sound: 'none',
			target: { channels: ['ops'] },
			...kept,
			choices: [
				{ id: 'approve', title: 'Ship it' },
				{ id: 'decline', title: 'Wait' },
			],
			answerable_by: ['Ada', 'Grace'],
			deadline: { after_seconds: 50, choice: 'decline' },
			remind: { every_minutes: 10, times: 2 },
			escalate: { after_minutes: 20, target: { channels: ['sales', 'ops'] } },
		},
		{},
	],
	['one button', { title: 'Seen?', choices: [{ id: 'approve', title: 'Yes' }] }, {}],
	[
		'choices of its own, on a Live Activity that stays',
		{
			title: 'When?',
			choices: [
				{ id: 'now', title: 'Now' },
				{ id: 'later', title: 'Later', destructive: true },
			],
			deadline: { at: '2030-01-31T09:30:00.000Z', choice: 'later' },
			live_activity: { stream_key: 'deploy', keep: true },
		},
		{
			choices: [
				{ id: '1', title: 'Now' },
				{ id: '2', title: 'Later' },
			],
			deadline: { at: '2030-01-31T09:30:00.000Z', choice: '2' },
		},
	],
	['a text', { title: 'Why?', text: { placeholder: 'Because …', multiline: true } }, {}],
];

describe('a question that was copied in the console and pasted', () => {
	const form = REQUESTS.find(({ name }) => name === 'question')!;

	it.each(QUESTIONS)('asks what the Playground asks: %s', async (_of, body, instead) => {
		const { parameters, typeVersion } = pasted(toNode(form, '', body)!);
		const workflow = asks({});
		workflow.nodes = workflow.nodes.map((node) =>
			node.name === 'Ask' ? { ...node, parameters, typeVersion } : node,
		);
		const execution = await WaitingExecution.of({
			workflow,
			credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
		});

		service.requests.length = 0;
		const run = await execution.start();
		await execution.close();

		expect([run.status, run.error?.message]).toEqual(['waiting', undefined]);
		expect(service.requests).toEqual([
			{
				method: 'POST',
				path: '/api/questions',
				body: { ...body, ...instead, callback: { url: expect.any(String) as string } },
			},
		]);
	});

	it('is not copied if it is only a form elsewhere, which the node does not have', () => {
		const link = { title: 'Fill in', url: 'https://example.com/form' };
		expect(toNode(form, '', { title: 'Who?', link })).toBeUndefined();
	});
});
