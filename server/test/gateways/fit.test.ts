import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toBroadcast, toForm, toApnsNotification } from '../../src/delivery/apns/notification.ts';
import { cutMessage, formatMessage } from '../../src/delivery/webpush/message.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';
import { shownState } from '../../src/service/shown/content-state.ts';
import { startStates } from '../support/arbitraries.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

const text = (maxLength: number) => fc.string({ maxLength, unit: 'binary', size: 'max' });
const url = fc.nat(2_000).map((length) => `https://example.com/${'u'.repeat(length)}`);
const button = fc.record(
	{ title: text(64), type: fc.constant('open_url' as const), url },
	{ requiredKeys: ['title', 'type'] },
);

const pushes = fc.record(
	{
		title: text(255),
		subtitle: text(255),
		message: text(16_000),
		icon: url,
		media: url,
		redirection: url,
		interruption_level: fc.constantFrom('passive', 'active', 'time-sensitive', 'critical'),
		actions: fc.array(button, { maxLength: 4 }),
		payload: fc.dictionary(text(20), text(100)),
		tags: fc.array(text(64), { maxLength: 20 }),
		badge: fc.nat(),
		sound: fc.constant('default'),
	},
	{ requiredKeys: ['title', 'interruption_level', 'sound'] },
);

const activities = fc
	.record(
		{
			state: startStates,
			message: text(4_000),
			subtitle: text(255),
			action: button,
			secondary_action: button,
			body: text(4_000),
		},
		{ requiredKeys: ['state'] },
	)
	.map(({ state, message, subtitle, body, ...buttons }) => ({
		activity: {
			activity_id: 'a'.repeat(32),
			stream_key: 's'.repeat(255),
			content_state: shownState(
				{
					content: {
						...state,
						...(subtitle && { subtitle }),
						...(message && state.type === 'alert' && { message }),
					},
				},
				0,
			),
			...buttons,
			started_at: '2026-03-01T12:00:00.000Z',
			updated_at: '2026-03-01T12:00:00.000Z',
			dismiss_at: null,
		},
		...(body !== undefined && { alert: { body } }),
	}));

const APP = { bundleId: 'com.example.app', activityType: 'Activity', linkKeyOf: () => 'k3y' };

/** An app with an expo-widgets layout, which takes channels. */
const LAYOUT = JSON.stringify({ layout: 'activity', channels: true, categories: [] });

function delivery(
	kind: OutgoingDelivery['message']['kind'],
	content: unknown,
	app_json: string | null = null,
): OutgoingDelivery {
	return {
		id: 1,
		isMuted: false,
		isHeld: false,
		device: { badge: 2, app_json },
		message: { kind, content_json: JSON.stringify(content), created_at: 0 },
	} as OutgoingDelivery;
}

const bytes = (value: string) => Buffer.byteLength(value);
const toText = (outgoing: OutgoingDelivery) => formatMessage(outgoing, cutMessage(outgoing, 3_993));

describe('a payload', () => {
	it('fits into APNs and Web Push, whatever a push says', () => {
		fc.assert(
			fc.property(pushes, (content) => {
				const outgoing = delivery('push', content);
				const { payload } = toApnsNotification(toForm(outgoing, APP), outgoing.id, 'ab');
				expect(bytes(payload)).toBeLessThanOrEqual(4_096);
				expect(bytes(toText(outgoing))).toBeLessThanOrEqual(3_993);
				expect(JSON.parse(payload).aps.alert.title).toBeDefined();
				expect(JSON.parse(payload).beckon.delivery_id).toBe(outgoing.id);
				if (bytes(JSON.stringify(content)) < 3_000)
					expect(JSON.parse(payload).beckon.truncated).toBeUndefined();
			}),
		);
	});

	it('fits into APNs and Web Push, whatever an activity shows', () => {
		const kinds = fc.constantFrom('activity_start', 'activity_update', 'activity_end');
		fc.assert(
			fc.property(activities, kinds, (content, kind) => {
				const outgoing = delivery(kind, content);
				const { payload } = toApnsNotification(toForm(outgoing, APP), outgoing.id, 'ab');
				expect(bytes(payload)).toBeLessThanOrEqual(4_096);
				expect(bytes(toText(outgoing))).toBeLessThanOrEqual(3_993);
				expect(JSON.parse(payload).aps['content-state'].type).toBe(
					content.activity.content_state.type,
				);
			}),
		);
	});

	it('fits into APNs in the form of an app with a layout, and as a broadcast', () => {
		const kinds = fc.constantFrom('activity_start', 'activity_update', 'activity_end');
		fc.assert(
			fc.property(activities, kinds, (content, kind) => {
				const outgoing = delivery(kind, content, LAYOUT);
				const form = toForm(outgoing, APP, 'dHN0LXNyY2gtY2hubA==');
				const { payload } = toApnsNotification(form, Number.MAX_SAFE_INTEGER, 'ab');
				expect(bytes(payload)).toBeLessThanOrEqual(4_096);
				const { aps, ...more } = JSON.parse(toBroadcast(form));
				expect(aps).toEqual(JSON.parse(payload).aps);
				expect(more).toEqual({});
				const { name, props } = aps['content-state'];
				expect(name).toBe('activity');
				expect(JSON.parse(props).type).toBe(content.activity.content_state.type);
			}),
		);
	});

	it('names its delivery, whatever else has the look of an id', () => {
		const look = `"delivery_id":${Number.MAX_SAFE_INTEGER}`;
		const id = Number.MAX_SAFE_INTEGER;
		const push = { title: look, message: look, payload: { delivery_id: id }, tags: [look] };
		const { payload } = toApnsNotification(toForm(delivery('push', push), APP), 7, 'ab');
		const { aps, beckon } = JSON.parse(payload);
		expect(aps.alert).toEqual({ title: look, body: look });
		expect(beckon).toEqual({ delivery_id: 7, payload: { delivery_id: id }, tags: [look] });
	});

	it('loses no more of its message than it must, and no half of a character', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 3_500, max: 4_000 }),
				fc.constantFrom('a', 'ü', '€', '🥐', '"'),
				(length, character) => {
					const push = {
						title: 'T',
						message: character.repeat(length),
						interruption_level: 'active',
						sound: 'default',
					};
					const { payload } = toApnsNotification(
						toForm(delivery('push', push), APP),
						Number.MAX_SAFE_INTEGER,
						'ab',
					);
					const each = bytes(JSON.stringify(character)) - 2;
					const { body } = JSON.parse(payload).aps.alert;
					if (body === push.message) return;
					expect(bytes(payload) + each).toBeGreaterThan(4_096);
					expect(body.replaceAll(character, '')).toBe('…');
				},
			),
		);
	});
});
