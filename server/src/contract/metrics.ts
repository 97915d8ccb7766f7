import { z } from 'zod';
import { text, timestamp } from './text.ts';

const KEY_RULE =
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores and periods, beginning with a letter or digit';

export const metricKey = z
	.string()
	.regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, KEY_RULE)
	.describe('Key of a metric that was created in the console.');

export const METRIC_FORMATS = ['number', 'currency', 'percent', 'unit', 'string'] as const;
export const metricFormat = z.enum(METRIC_FORMATS);

export const metricParams = z.strictObject({ key: metricKey });

export const metricValue = z
	.union([z.number(), text({ min: 1, max: 64 })], 'must be a number or text of 1 to 64 characters')
	.describe('The latest value: a number or a short text.');

/** Body of POST /metrics/{key}/value. */
export const metricValueRequest = z
	.strictObject({
		value: metricValue,
		timestamp: timestamp
			.optional()
			.describe(
				'Time of measurement; if left out, the time of arrival. A value older than the stored one changes nothing.',
			),
	})
	.meta({ id: 'MetricValueUpdateRequest' });

export const metricValueResponse = z
	.strictObject({ success: z.literal(true) })
	.meta({ id: 'MetricValueUpdateResponse' });

export type MetricValue = z.output<typeof metricValue>;
export type MetricFormat = z.output<typeof metricFormat>;
export type MetricValueRequest = z.output<typeof metricValueRequest>;
export type MetricValueResponse = z.output<typeof metricValueResponse>;
