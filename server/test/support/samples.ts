import type { ActivityType } from '../../src/contract/content-state.ts';

/** Settings that keep tests clear of rate limits they are not about. */
export const UNLIMITED = {
	BECKON_RATE_PER_ADDRESS: '1000000',
	BECKON_RATE_NOTIFICATIONS: '1000000',
	BECKON_RATE_BADGES: '1000000',
	BECKON_RATE_LIVE_ACTIVITIES: '1000000',
	BECKON_RATE_METRICS: '1000000',
	BECKON_RATE_LISTS: '1000000',
	BECKON_RATE_IMAGES: '1000000',
	BECKON_RATE_QUESTIONS: '1000000',
};

/** The published endpoints. */
export const PUBLISHED = [
	['POST', '/badge'],
	['POST', '/push-notification'],
	['PUT', '/live-activity/stream/deploy'],
	['DELETE', '/live-activity/stream/deploy'],
	['POST', '/live-activity/start'],
	['POST', '/live-activity/update'],
	['POST', '/live-activity/end'],
	['POST', '/metrics/cpu/value'],
] as const;

/** The minimum a start takes, for each type. */
export const STATES: Record<ActivityType, Record<string, unknown>> = {
	segmented_progress: {
		type: 'segmented_progress',
		title: 'Deploy',
		number_of_steps: 4,
		current_step: 1,
	},
	progress: { type: 'progress', title: 'Backup', percentage: 40 },
	metrics: { type: 'metrics', title: 'web-1', metrics: [{ label: 'CPU', value: 12, unit: '%' }] },
	stats: { type: 'stats', title: 'Today', metrics: [{ label: 'Sales', value: '1,204' }] },
	alert: { type: 'alert', title: 'Disk', message: 'Almost full' },
	timer: { type: 'timer', title: 'Tea', duration_seconds: 240 },
	value: { type: 'value', title: 'EUR/USD', value: '1.09' },
};

export const OPEN_URL = { title: 'Open', type: 'open_url', url: 'https://example.com/run' };
export const WEBHOOK = {
	title: 'Approve',
	type: 'webhook',
	url: 'https://hooks.example.com/secret-path',
};

/** A push subscription as a browser provides it, with the receiver's keys of RFC 8291 appendix A. */
export const SUBSCRIPTION = {
	endpoint: 'https://push.example.com/subscription/42',
	keys: {
		p256dh:
			'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
		auth: 'BTBZMqHH6r4Tts7J_aSIgg',
	},
};

/** `length` times an emoji: one code point each, two UTF-16 units. */
export const emojis = (length: number): string => '🚀'.repeat(length);
