import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { badgeRequest } from '../../src/contract/badge.ts';
import {
	acknowledgeRequest,
	activityTokenRequest,
	dismissalRequest,
	eventsQuery,
	inboxQuery,
	pairRequest,
	tapRequest,
	tokensRequest,
} from '../../src/contract/device.ts';
import { toIssues } from '../../src/contract/issues.ts';
import {
	endRequest,
	startRequest,
	streamDeleteRequest,
	streamParams,
	streamPutRequest,
	updateRequest,
} from '../../src/contract/live-activities.ts';
import { metricParams, metricValueRequest } from '../../src/contract/metrics.ts';
import { pushRequest } from '../../src/contract/push.ts';
import { invalidRequest } from '../../src/service/refusal.ts';
import { scaled } from '../support/scaled.ts';

const schemas: Record<string, z.ZodType> = {
	acknowledgeRequest,
	activityTokenRequest,
	badgeRequest,
	dismissalRequest,
	endRequest,
	eventsQuery,
	inboxQuery,
	metricParams,
	metricValueRequest,
	pairRequest,
	pushRequest,
	startRequest,
	streamDeleteRequest,
	streamParams,
	streamPutRequest,
	tapRequest,
	tokensRequest,
	updateRequest,
};

/** Values that are nearly right more often than by chance. */
const leaf = fc.oneof(
	fc.jsonValue({ maxDepth: 1 }),
	fc.constantFrom<unknown>(
		'open_url',
		'webhook',
		'timer',
		'progress',
		'alert',
		'metrics',
		'https://example.com/a',
		'red',
		'',
		-1,
		1.5,
		200,
		true,
		null,
	),
);

const state = fc.dictionary(
	fc.constantFrom(
		'type',
		'title',
		'icon',
		'color',
		'badge',
		'metrics',
		'step_colors',
		'percentage',
		'value',
		'duration_seconds',
		'constructor',
		'other',
	),
	fc.oneof(
		leaf,
		fc.array(
			fc.dictionary(fc.constantFrom('label', 'value', 'unit', 'symbol', 'title', 'color'), leaf),
			{ maxLength: 3 },
		),
	),
);

const button = fc.dictionary(
	fc.constantFrom('title', 'type', 'url', 'method', 'body', 'other'),
	leaf,
);

const FIELDS = [
	...[
		'title',
		'message',
		'subtitle',
		'icon',
		'media',
		'redirection',
		'payload',
		'badge',
		'sound',
		'interruption_level',
		'metadata',
	],
	...[
		'activity_id',
		'stream_key',
		'key',
		'value',
		'timestamp',
		'code',
		'name',
		'platform',
		'token',
		'deliveries',
		'tap_id',
		'delivery_id',
	],
	...['after', 'limit', 'toString', '__proto__', 'a b', '0'],
] as const;

const body = fc
	.tuple(
		fc.dictionary(fc.constantFrom(...FIELDS), leaf),
		fc.record(
			{
				content_state: fc.oneof(state, leaf),
				tags: fc.oneof(fc.array(leaf, { maxLength: 25 }), leaf),
				target: fc.oneof(
					fc.dictionary(fc.constantFrom('channels', 'other'), fc.oneof(fc.array(leaf), leaf)),
					leaf,
				),
				channels: fc.oneof(fc.array(leaf), leaf),
				action: fc.oneof(button, leaf),
				secondary_action: fc.oneof(button, leaf),
				actions: fc.oneof(fc.array(fc.oneof(button, leaf), { maxLength: 6 }), leaf),
				alert: fc.oneof(state, leaf),
			},
			{ requiredKeys: [] },
		),
	)
	.map(([fields, structured]) => ({ ...fields, ...structured }));

const bodies = fc.oneof({ arbitrary: body, weight: 4 }, { arbitrary: fc.jsonValue(), weight: 1 });

describe.each(Object.entries(schemas))('what is said about a wrong %s', (_name, schema) => {
	it('names a field and a rule, in words', () => {
		let rejected = 0;
		fc.assert(
			fc.property(bodies, (input) => {
				const parsed = schema.safeParse(input);
				if (parsed.success) return;
				rejected += 1;
				const issues = toIssues(parsed.error, input);
				expect(issues.length).toBeGreaterThan(0);
				for (const { message } of issues) {
					expect(message).not.toMatch(
						/undefined|\[object Object\]|NaN|Invalid input|expected .* received/,
					);
					expect(message).toMatch(/^(must|is|cannot) .*[^.]$/);
				}
				const { message, details } = invalidRequest(issues);
				expect(message.trim()).not.toBe('');
				expect(details['issues']).toBe(issues);
				expect(details['code']).toBe(
					issues.some(({ path }) => path === 'tags' || path.startsWith('tags['))
						? 'invalid_tags'
						: undefined,
				);
			}),
			{ numRuns: scaled(300) },
		);
		expect(rejected).toBeGreaterThan(20);
	});
});
