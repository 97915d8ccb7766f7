import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../../src/contract/device.ts';
import type { ShownState } from '../../src/contract/shown.ts';
import { toNotification } from '../../web/worker/notification.ts';

const NOW = Date.parse('2026-03-01T09:30:00.000Z');
const sent = { id: 41, sent_at: '2026-03-01T09:30:00.000Z' };
const tag = 'his_1';
const shown = (delivery: Delivery, hasSound = true) =>
	toNotification(delivery, { tag, hasSound, now: NOW })!;

const activity = (content_state: ShownState, more: object = {}): Delivery => ({
	...sent,
	kind: 'activity_update',
	activity: {
		activity_id: 'a',
		stream_key: null,
		content_state,
		started_at: sent.sent_at,
		updated_at: sent.sent_at,
		dismiss_at: null,
	},
	...more,
});

describe('the system’s notification of a push', () => {
	const push = (fields: object, more: object = {}): Delivery => ({
		...sent,
		kind: 'push',
		push: { title: 'T', interruption_level: 'active', sound: 'default', ...fields },
		...more,
	});

	it('makes a sound, unless somebody does not want it', () => {
		expect(shown(push({})).options.silent).toBe(false);
		for (const quiet of [push({ sound: 'none' }), push({ interruption_level: 'passive' })])
			expect(shown(quiet).options.silent).toBe(true);
		expect(shown(push({}, { muted: true })).options.silent).toBe(true);
		expect(shown(push({}, { held: true })).options.silent).toBe(true);
		expect(shown(push({}), false).options.silent).toBe(true);
	});

	it('is replaced by a repeat, which alerts again and is the one that is tapped', () => {
		const first = shown(push({ message: 'M' }));
		const again = shown(push({ message: 'M' }, { id: 47 }));
		expect(again.options).toMatchObject({ tag, renotify: true, silent: false });
		expect(first.options.tag).toBe(tag);
		expect([first, again].map(({ options }) => options.data)).toMatchObject([
			{ kind: 'push', id: 41 },
			{ kind: 'push', id: 47 },
		]);
	});

	it.each([
		['of a muted channel', push({}, { muted: true }), true],
		['held back', push({}, { held: true }), true],
		['without a sound', push({ sound: 'none' }), true],
		['on a phone without sounds', push({}), false],
	])('does not alert again %s', (_which, delivery, hasSound) => {
		// A browser refuses a silent notification with `renotify`.
		expect(shown(delivery, hasSound).options).toMatchObject({ silent: true, renotify: false });
	});

	it('stays until it is seen to, when it is critical', () => {
		expect(shown(push({ interruption_level: 'critical' })).options.requireInteraction).toBe(true);
		expect(shown(push({})).options.requireInteraction).toBe(false);
	});

	it.each(['http://example.com/a.png', 'https://u:p@example.com/a.png', 'javascript:alert(1)'])(
		'loads no picture from %s',
		(url) => {
			const { options } = shown(push({ icon: url, media: url }));
			expect(options.icon).toBe('/phone/icons/icon-192.png');
			expect(options.image).toBeUndefined();
		},
	);
});

describe('the system’s notification of an answered question', () => {
	const answer = { button: 'Approve', by: 'Ada', device: 'Phone', at: sent.sent_at, final: true };
	const open = { title: 'Open', type: 'open_url' as const, url: 'https://example.com' };
	const closed = { title: 'Approve', type: 'webhook' as const, closed: true as const };
	const words = /^✓ Approved by Ada, .*\nOn its way\./;

	it('takes the place of the push, quietly, with the buttons that may still be tapped', () => {
		const { title, options } = shown({
			...sent,
			id: 52,
			kind: 'push_update',
			delivery_id: 41,
			push: {
				title: 'Deploy?',
				message: 'Version 4.2',
				interruption_level: 'critical',
				sound: 'default',
				actions: [closed, open],
				answer: { ...answer, message: 'On its way.' },
			},
		});
		expect(title).toBe('Deploy?');
		expect(options).toMatchObject({
			body: expect.stringMatching(words),
			tag,
			silent: true,
			renotify: false,
			requireInteraction: false,
			actions: [{ action: '1', title: 'Open' }],
			data: { kind: 'push', id: 41 },
		});
	});

	it('of a Live Activity has no closed buttons either', () => {
		const state: ShownState = { type: 'alert', title: 'Deploy', message: 'Go?' };
		const { activity: asked } = activity(state) as Delivery & { kind: 'activity_update' };
		const { options } = shown(
			activity(state, {
				activity: {
					...asked,
					action: closed,
					secondary_action: open,
					answer: { ...answer, message: 'On its way.' },
				},
			}),
		);
		expect(options.body).toMatch(words);
		expect(options.actions).toEqual([{ action: 'secondary_action', title: 'Open' }]);
	});
});

it('is none for a badge', () => {
	expect(
		toNotification({ ...sent, kind: 'badge', badge: 1 }, { tag, hasSound: true, now: NOW }),
	).toBeUndefined();
});

describe('the system’s notification of a Live Activity', () => {
	const timer = (fields: object) => ({
		type: 'timer' as const,
		title: 'Bread',
		timer: {
			is_running: true,
			counts_down: true,
			started_at: sent.sent_at,
			ends_at: '2026-03-01T09:45:00.000Z',
			elapsed_seconds: 0,
			duration_seconds: 900,
			...fields,
		},
	});

	it.each<[ShownState, string | RegExp]>([
		[{ type: 'progress', title: 'T', percentage: 63.6, subtitle: 'S' }, '64% · S'],
		[
			{ type: 'segmented_progress', title: 'T', number_of_steps: 5, current_step: 2 },
			'Step 2 of 5',
		],
		[{ type: 'value', title: 'T', value: 1234.5, badge: { title: '+1 %' } }, '1,234.5 · +1 %'],
		[{ type: 'alert', title: 'T', message: 'Water' }, 'Water'],
		[{ type: 'stats', title: 'T', metrics: [{ label: 'CPU', value: 42, unit: '%' }] }, 'CPU 42 %'],
		[timer({ is_running: false, elapsed_seconds: 60 }), '14:00, paused'],
		[timer({ ends_at: '2026-03-01T09:29:00.000Z' }), 'Time’s up'],
		[timer({}), /^Until \d+:\d\d/],
		[timer({ counts_down: false, ends_at: undefined, duration_seconds: undefined }), /^Since \d/],
	])('says %j as %s', (state, words) => {
		expect(shown(activity(state)).options.body).toMatch(words);
	});

	it('is quiet, and aloud only with an alert that is not muted', () => {
		const state: ShownState = { type: 'value', title: 'T', value: 1 };
		const alert = { title: 'Look' };
		expect(shown(activity(state)).options).toMatchObject({ silent: true, renotify: false });
		const loud = shown(activity(state, { alert }));
		expect(loud).toMatchObject({ title: 'Look', options: { silent: false, renotify: true } });
		expect(loud.options.tag).toBe(tag);
		// A browser refuses a silent notification with `renotify`.
		expect(shown(activity(state, { alert }), false).options).toMatchObject({
			silent: true,
			renotify: false,
		});
		expect(shown(activity(state, { alert, muted: true }))).toMatchObject({
			title: 'T',
			options: { silent: true },
		});
	});
});
