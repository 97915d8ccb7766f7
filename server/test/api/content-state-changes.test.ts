import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Fields = Record<string, unknown>;
type Change = (server: TestServer, state: Fields, more?: Fields) => ReturnType<TestServer['call']>;

interface Way {
	begin: (server: TestServer, state: Fields, more?: Fields) => Promise<void>;
	change: Change;
}

let activityId = '';

/** The three ways to change an activity; all merge by the same rules. */
const WAYS: Record<string, Way> = {
	'an update': {
		begin: async (server, state, more) => {
			const { body } = await server.call('POST', '/live-activity/start', {
				content_state: state,
				...more,
			});
			activityId = body['activity_id'];
		},
		change: (server, state, more) =>
			server.call('POST', '/live-activity/update', {
				activity_id: activityId,
				content_state: state,
				...more,
			}),
	},
	'an end': {
		begin: (...given) => WAYS['an update']!.begin(...given),
		change: (server, state, more) =>
			server.call('POST', '/live-activity/end', {
				activity_id: activityId,
				content_state: state,
				...more,
			}),
	},
	'a stream': {
		begin: async (server, state, more) => {
			await server.call('PUT', '/live-activity/stream/s', { content_state: state, ...more });
		},
		change: (server, state, more) =>
			server.call('PUT', '/live-activity/stream/s', { content_state: state, ...more }),
	},
};

describe.each(Object.entries(WAYS))('the content state of %s', (_name, { begin, change }) => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const shown = async () => (await server.phone.inbox()).at(-1).activity;
	const after = async (from: Fields, ...changes: Fields[]) => {
		await begin(server, from);
		for (const fields of changes) expect((await change(server, fields)).status).toBe(200);
		return (await shown()).content_state;
	};
	const refused = async (from: Fields, fields: Fields, path: string) => {
		await begin(server, from);
		const before = await shown();
		const { status, body } = await change(server, fields);
		expect(status).toBe(400);
		expect(body['message']).toContain(`content_state.${path} `);
		expect(await shown()).toEqual(before);
	};

	it('keeps every field that is left out, even type and title', async () => {
		const full = {
			...STATES.segmented_progress,
			subtitle: 'main',
			color: 'lime',
			icon: { symbol: 'gear' },
			badge: { title: 'CI' },
		};
		expect(await after(full, { current_step: 2 })).toEqual({ ...full, current_step: 2 });
	});

	it('replaces objects and lists whole', async () => {
		const from = {
			...STATES.value,
			icon: { symbol: 'gear', color: 'red' },
			badge: { title: 'a', color: 'red' },
		};
		expect(await after(from, { icon: { symbol: 'star' }, badge: { title: 'b' } })).toMatchObject({
			icon: { symbol: 'star' },
			badge: { title: 'b' },
		});
	});

	it('replaces a list of metrics whole', async () => {
		const metrics = [{ label: 'RAM', value: 'low' }];
		expect((await after(STATES.metrics, { metrics })).metrics).toEqual(metrics);
	});

	it('lets the number of steps grow', async () => {
		expect(await after(STATES.segmented_progress, { number_of_steps: 9 })).toMatchObject({
			number_of_steps: 9,
			current_step: 1,
		});
	});

	it('lets the number of steps shrink', async () => {
		expect(await after(STATES.segmented_progress, { number_of_steps: 1 })).toMatchObject({
			number_of_steps: 1,
			current_step: 1,
		});
	});

	it('holds the rules between a sent and a kept field', async () => {
		await refused(
			{ ...STATES.segmented_progress, current_step: 3 },
			{ number_of_steps: 2 },
			'current_step',
		);
	});

	it('moves progress by a value over a stored percentage', async () => {
		expect((await after(STATES.progress, { value: 1, upper_limit: 4 })).percentage).toBe(25);
	});

	it('moves progress by a value against the kept upper limit', async () => {
		const from = { type: 'progress', title: 'x', value: 1, upper_limit: 4 };
		expect((await after(from, { value: 3 })).percentage).toBe(75);
	});

	it.each<[string, Fields, Fields, string]>([
		['a field of another type', STATES.progress, { message: 'x' }, 'message'],
		['an unknown field', STATES.alert, { mesage: 'x' }, 'mesage'],
		['an empty title', STATES.alert, { title: '' }, 'title'],
		['a bound of its type', STATES.progress, { percentage: 101 }, 'percentage'],
		['null for a kept field', { ...STATES.alert, subtitle: 'x' }, { subtitle: null }, 'subtitle'],
		['an unknown type', STATES.alert, { type: 'gauge' }, 'type'],
	])('is refused for %s, and changes nothing', async (_what, from, fields, path) => {
		await refused(from, fields, path);
	});

	it('drops the old fields of a changed type, and keeps the common ones', async () => {
		const from = {
			...STATES.progress,
			subtitle: 'kept',
			icon: { symbol: 'gear' },
			color: 'red',
			badge: { title: 'dropped' },
		};
		expect(await after(from, { type: 'alert', message: 'Done' })).toEqual({
			type: 'alert',
			title: 'Backup',
			subtitle: 'kept',
			icon: { symbol: 'gear' },
			color: 'red',
			message: 'Done',
		});
	});

	it.each<[string, Fields, string]>([
		['alert', STATES.progress, 'message'],
		['timer', STATES.progress, 'duration_seconds'],
		['segmented_progress', STATES.progress, 'number_of_steps'],
		['value', STATES.progress, 'value'],
		['metrics', STATES.stats, 'metrics'],
		['progress', STATES.value, 'percentage'],
	])('must satisfy the start rules of a changed type: %s', async (type, from, path) => {
		await refused(from, { type }, path);
	});

	it('keeps buttons that are left out, and replaces those that are sent', async () => {
		const second = { ...OPEN_URL, title: 'Second' };
		await begin(server, STATES.alert, { action: OPEN_URL, secondary_action: second });
		await change(server, { message: 'More' }, { secondary_action: WEBHOOK });
		expect(await shown()).toMatchObject({
			action: OPEN_URL,
			secondary_action: { title: 'Approve', type: 'webhook' },
		});
	});

	it.each(['timer', 'metrics', 'stats'] as const)(
		'refuses a second button for %s',
		async (type) => {
			await begin(server, STATES[type]);
			const { status, body } = await change(server, {}, { secondary_action: OPEN_URL });
			expect(status).toBe(400);
			expect(body['message']).toContain('secondary_action');
		},
	);

	it('loses the second button when the new type has no room for it', async () => {
		await begin(server, STATES.alert, { action: OPEN_URL, secondary_action: OPEN_URL });
		await change(server, STATES.stats);
		expect(await shown()).toMatchObject({ action: OPEN_URL });
		expect(await shown()).not.toHaveProperty('secondary_action');
	});
});
