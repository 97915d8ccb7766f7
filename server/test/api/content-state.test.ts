import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { emojis, OPEN_URL, STATES, UNLIMITED } from '../support/samples.ts';
import { endActivities, startTestServer, type TestServer } from '../support/server.ts';

const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
];
const TYPES = Object.keys(STATES) as Array<keyof typeof STATES>;
const entry = (more: Record<string, unknown> = {}) => ({ label: 'CPU', value: 12, ...more });
const entries = (length: number) => Array.from({ length }, () => entry());

describe('the content state of a start', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(async () => {
		// Make room for the next start.
		await endActivities(server);
	});
	afterAll(() => server.close());

	const start = (state: Record<string, unknown>, more: Record<string, unknown> = {}) =>
		server.call('POST', '/live-activity/start', { content_state: state, ...more });
	const shown = async () => (await server.phone.inbox()).at(-1).activity.content_state;
	const refuse = async (state: Record<string, unknown>, path: string) => {
		const { status, body } = await start(state);
		expect(status).toBe(400);
		expect(body['message']).toContain(`content_state.${path} `);
	};

	describe.each(TYPES)('of type %s', (type) => {
		it('is shown as it was sent', async () => {
			expect((await start(STATES[type])).status).toBe(200);
			const { duration_seconds: _shownAsTimes, ...sent } = STATES[type];
			expect(await shown()).toMatchObject(sent);
		});

		it('takes the common fields, with an icon and colors', async () => {
			const common = {
				subtitle: 's'.repeat(255),
				icon: { symbol: 'bolt.fill', color: 'cyan' },
				color: 'lime',
			};
			expect((await start({ ...STATES[type], ...common })).status).toBe(200);
			expect(await shown()).toMatchObject(common);
		});

		it('takes a bare symbol name as icon and shows it in the object form', async () => {
			expect((await start({ ...STATES[type], icon: 'bolt.fill' })).status).toBe(200);
			expect((await shown()).icon).toEqual({ symbol: 'bolt.fill' });
		});

		it.each(COLORS)('takes the color %s', async (color) => {
			expect((await start({ ...STATES[type], color })).status).toBe(200);
		});

		it.each<[string, Record<string, unknown>, string]>([
			['no title', { title: undefined }, 'title'],
			['an empty title', { title: '' }, 'title'],
			['a blank title', { title: '   ' }, 'title'],
			['a title of 256 characters', { title: 't'.repeat(256) }, 'title'],
			['a subtitle of 256 characters', { subtitle: 's'.repeat(256) }, 'subtitle'],
			['a color that there is not', { color: 'pink' }, 'color'],
			['a color in capitals', { color: 'Lime' }, 'color'],
			['an icon without symbol', { icon: {} }, 'icon'],
			['an empty icon', { icon: '' }, 'icon'],
			['an icon that is a number', { icon: 1 }, 'icon'],
			['an unknown field', { subtitel: 'x' }, 'subtitel'],
			[
				'a time to dismiss, which is for the end',
				{ auto_dismiss_minutes: 5 },
				'auto_dismiss_minutes',
			],
		])('cannot have %s', async (_what, change, path) => {
			await refuse({ ...STATES[type], ...change }, path);
		});

		it('takes a title of 255 emojis', async () => {
			expect((await start({ ...STATES[type], title: emojis(255) })).status).toBe(200);
		});

		const others = TYPES.flatMap((other) => Object.keys(STATES[other])).filter(
			(name) => !(name in STATES[type]),
		);
		it.each([...new Set(others)].filter((name) => !(type === 'progress' && name === 'value')))(
			'cannot have the field %s of another type',
			async (name) => {
				const owner = TYPES.find((other) => name in STATES[other])!;
				await refuse({ ...STATES[type], [name]: STATES[owner][name] }, name);
			},
		);

		it('requires its own fields', async () => {
			for (const name of Object.keys(STATES[type]).filter((key) => key !== 'type')) {
				await refuse({ ...STATES[type], [name]: undefined }, name);
			}
		});

		it('takes a badge only where the type has one', async () => {
			const { status } = await start({ ...STATES[type], badge: { title: 'New', color: 'red' } });
			expect(status).toBe(['metrics', 'stats', 'timer'].includes(type) ? 400 : 200);
			if (status === 200) expect((await shown()).badge).toEqual({ title: 'New', color: 'red' });
		});

		it('takes a second button only where the type has room', async () => {
			const { status, body } = await start(STATES[type], {
				action: OPEN_URL,
				secondary_action: OPEN_URL,
			});
			const hasRoom = ['alert', 'progress', 'segmented_progress', 'value'].includes(type);
			expect(status).toBe(hasRoom ? 200 : 400);
			if (!hasRoom)
				expect(body['message']).toContain(
					`secondary_action cannot be used with a ${type} activity`,
				);
		});
	});

	it.each<[string, Record<string, unknown>]>([
		['steps, the first still to come', { ...STATES.segmented_progress, current_step: 0 }],
		['steps, all done', { ...STATES.segmented_progress, current_step: 4 }],
		['steps, one', { ...STATES.segmented_progress, number_of_steps: 1, current_step: 1 }],
		['steps with a color', { ...STATES.segmented_progress, step_color: 'red' }],
		[
			'steps with a color for each that is done',
			{ ...STATES.segmented_progress, current_step: 2, step_colors: ['red', 'green'] },
		],
		['progress 0', { ...STATES.progress, percentage: 0 }],
		['progress 100', { ...STATES.progress, percentage: 100 }],
		['progress 33.3', { ...STATES.progress, percentage: 33.3 }],
		['one metric', { ...STATES.metrics, metrics: entries(1) }],
		['eight metrics', { ...STATES.metrics, metrics: entries(8) }],
		['a metric of 0', { ...STATES.metrics, metrics: [entry({ value: 0 })] }],
		[
			'a metric with a text of 64 emojis',
			{ ...STATES.metrics, metrics: [entry({ value: emojis(64) })] },
		],
		['a metric with a color', { ...STATES.stats, metrics: [entry({ color: 'red', unit: 'GB' })] }],
		['a message of one character', { ...STATES.alert, message: '!' }],
		['a timer of half a second', { ...STATES.timer, duration_seconds: 0.5 }],
		['a timer that counts up without an end', { type: 'timer', title: 'Run', counts_down: false }],
		['a timer that counts up to an end', { ...STATES.timer, counts_down: false }],
		['a timer that is not running yet', { ...STATES.timer, is_running: false }],
		['a value of 64 emojis', { ...STATES.value, value: emojis(64) }],
		['a value that is a number', { ...STATES.value, value: -12.5 }],
		['an alert with all of it', { ...STATES.alert, badge: { title: 'New' }, icon: 'star' }],
	])('may be: %s', async (_what, state) => {
		expect((await start(state)).status).toBe(200);
		const { duration_seconds: _d, counts_down: _c, is_running: _r, icon: _i, ...sent } = state;
		expect(await shown()).toMatchObject(sent);
	});

	it.each<[string, Record<string, unknown>, string]>([
		[
			'no steps',
			{ ...STATES.segmented_progress, number_of_steps: 0, current_step: 0 },
			'number_of_steps',
		],
		['half a step', { ...STATES.segmented_progress, current_step: 0.5 }, 'current_step'],
		['a step before the first', { ...STATES.segmented_progress, current_step: -1 }, 'current_step'],
		['a step after the last', { ...STATES.segmented_progress, current_step: 5 }, 'current_step'],
		[
			'too few step colors',
			{ ...STATES.segmented_progress, current_step: 2, step_colors: ['red'] },
			'step_colors',
		],
		[
			'too many step colors',
			{ ...STATES.segmented_progress, step_colors: ['red', 'red'] },
			'step_colors',
		],
		[
			'an unknown step color',
			{ ...STATES.segmented_progress, step_colors: ['pink'] },
			'step_colors[0]',
		],
		['progress below 0', { ...STATES.progress, percentage: -0.1 }, 'percentage'],
		['progress above 100', { ...STATES.progress, percentage: 100.1 }, 'percentage'],
		['progress as text', { ...STATES.progress, percentage: '40' }, 'percentage'],
		['progress without either', { type: 'progress', title: 'x' }, 'percentage'],
		['a value without its upper limit', { type: 'progress', title: 'x', value: 1 }, 'percentage'],
		[
			'an upper limit without its value',
			{ type: 'progress', title: 'x', upper_limit: 1 },
			'percentage',
		],
		[
			'an upper limit of 0',
			{ type: 'progress', title: 'x', value: 0, upper_limit: 0 },
			'upper_limit',
		],
		[
			'a value of progress as text',
			{ type: 'progress', title: 'x', value: '1', upper_limit: 2 },
			'value',
		],
		['no metrics', { ...STATES.metrics, metrics: [] }, 'metrics'],
		['nine metrics', { ...STATES.stats, metrics: entries(9) }, 'metrics'],
		[
			'a negative metric',
			{ ...STATES.metrics, metrics: [entry({ value: -1 })] },
			'metrics[0].value',
		],
		[
			'a metric with an empty value',
			{ ...STATES.metrics, metrics: [entry({ value: '' })] },
			'metrics[0].value',
		],
		[
			'a metric with 65 characters',
			{ ...STATES.stats, metrics: [entry({ value: 'x'.repeat(65) })] },
			'metrics[0].value',
		],
		[
			'a metric without label',
			{ ...STATES.metrics, metrics: [entry(), { value: 1 }] },
			'metrics[1].label',
		],
		[
			'a metric without value',
			{ ...STATES.metrics, metrics: [{ label: 'CPU' }] },
			'metrics[0].value',
		],
		[
			'a metric of unknown color',
			{ ...STATES.metrics, metrics: [entry({ color: 'pink' })] },
			'metrics[0].color',
		],
		['an empty message', { ...STATES.alert, message: '' }, 'message'],
		['a timer of 0 seconds', { ...STATES.timer, duration_seconds: 0 }, 'duration_seconds'],
		[
			'a timer that counts down from nothing',
			{ type: 'timer', title: 'x', counts_down: true },
			'duration_seconds',
		],
		['a timer that runs "yes"', { ...STATES.timer, is_running: 'yes' }, 'is_running'],
		['an empty value', { ...STATES.value, value: '' }, 'value'],
		['a value of 65 characters', { ...STATES.value, value: 'x'.repeat(65) }, 'value'],
		['a value that is true', { ...STATES.value, value: true }, 'value'],
		['a badge without title', { ...STATES.value, badge: { color: 'red' } }, 'badge.title'],
		[
			'a badge of unknown color',
			{ ...STATES.value, badge: { title: 'x', color: 'pink' } },
			'badge.color',
		],
		['no type', { title: 'x' }, 'type'],
		['an unknown type', { type: 'gauge', title: 'x' }, 'type'],
	])('cannot be: %s', async (_what, state, path) => {
		await refuse(state, path);
	});

	it('cannot be a number that JSON can write and no machine can hold', async () => {
		for (const field of ['percentage', 'duration_seconds', 'value']) {
			const type = { percentage: 'progress', duration_seconds: 'timer', value: 'value' }[field];
			const { status } = await server.call(
				'POST',
				'/live-activity/start',
				`{"content_state":{"type":"${type}","title":"x","${field}":1e999}}`,
			);
			expect(status).toBe(400);
		}
	});

	it('shows progress as the share of its upper limit, within 0 and 100', async () => {
		for (const [value, percentage] of [
			[3, 37.5],
			[8, 100],
			[9, 100],
			[-1, 0],
		] as const) {
			await start({ type: 'progress', title: 'x', value, upper_limit: 8 });
			expect(await shown()).toMatchObject({ percentage, value, upper_limit: 8 });
		}
	});

	it('lets the percentage win over a value', async () => {
		await start({ type: 'progress', title: 'x', percentage: 10, value: 4, upper_limit: 8 });
		expect((await shown()).percentage).toBe(10);
	});
});
