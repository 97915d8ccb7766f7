import { z } from 'zod';
import { channelSlug, wholeOf } from './common.ts';
import { streamKey } from './live-activities.ts';
import { metricFormat, metricKey } from './metrics.ts';
import { givenName } from './text.ts';
import { triggerId } from './triggers.ts';

/** Maximum entries per page. */
const MAX_PAGE = 200;

function pageQuery<K extends z.ZodType>(key: K) {
	return z.strictObject({
		after: key.optional().describe('The `next` of the previous page.'),
		limit: wholeOf(1, MAX_PAGE).default(MAX_PAGE).describe('Maximum entries per page.'),
	});
}

const next = z.string().nullable().describe('The `after` of the next page; null on the last page.');

const success = z.literal(true);

/** Query of GET /channels. */
export const channelsQuery = pageQuery(channelSlug);

export const channelsResponse = z
	.strictObject({
		success,
		channels: z.array(z.strictObject({ slug: z.string(), name: z.string() })),
		next,
	})
	.meta({ id: 'ChannelList' });

/** Query of GET /phones. */
export const phonesQuery = pageQuery(channelSlug);

export const phonesResponse = z
	.strictObject({
		success,
		phones: z.array(
			z.strictObject({
				slug: z.string().describe('Reaches this phone alone, wherever a request names channels.'),
				name: z.string(),
				user: z.string(),
			}),
		),
		next,
	})
	.meta({ id: 'PhoneList' });

/** Query of GET /people. */
export const peopleQuery = pageQuery(givenName);

export const peopleResponse = z
	.strictObject({
		success,
		people: z.array(z.strictObject({ name: z.string().describe('As answerable_by takes it.') })),
		next,
	})
	.meta({ id: 'PersonList' });

/** Query of GET /metrics. */
export const metricsQuery = pageQuery(metricKey);

export const metricsResponse = z
	.strictObject({
		success,
		metrics: z.array(
			z.strictObject({
				key: z.string(),
				name: z.string(),
				format: metricFormat,
				unit: z.string().nullable(),
			}),
		),
		next,
	})
	.meta({ id: 'MetricList' });

const STREAM_STATUSES = ['running', 'paused', 'idle'] as const;

/** Query of GET /live-activity/streams. */
export const streamsQuery = pageQuery(streamKey);

export const streamsResponse = z
	.strictObject({
		success,
		streams: z.array(
			z.strictObject({
				stream_key: z.string(),
				title: z.string().nullable().describe('The title it shows, or will show once resumed.'),
				status: z
					.enum(STREAM_STATUSES)
					.describe('idle: it has no activity until its next PUT starts one.'),
			}),
		),
		next,
	})
	.meta({ id: 'StreamList' });

/** Query of GET /triggers. */
export const triggersQuery = pageQuery(triggerId);

/** A workflow that a button can start. */
const listedTrigger = z.strictObject({
	trigger_id: z.string(),
	name: z.string(),
	listening: z.boolean().describe('False: a tap waits for a day.'),
});

export const triggersResponse = z
	.strictObject({ success, triggers: z.array(listedTrigger), next })
	.meta({ id: 'TriggerList' });

export type ChannelsQuery = z.output<typeof channelsQuery>;
export type ChannelsResponse = z.output<typeof channelsResponse>;
export type MetricsQuery = z.output<typeof metricsQuery>;
export type MetricsResponse = z.output<typeof metricsResponse>;
export type PeopleQuery = z.output<typeof peopleQuery>;
export type PeopleResponse = z.output<typeof peopleResponse>;
export type PhonesQuery = z.output<typeof phonesQuery>;
export type PhonesResponse = z.output<typeof phonesResponse>;
export type StreamsQuery = z.output<typeof streamsQuery>;
export type StreamsResponse = z.output<typeof streamsResponse>;
export type TriggersQuery = z.output<typeof triggersQuery>;
export type TriggersResponse = z.output<typeof triggersResponse>;
export type StreamStatus = (typeof STREAM_STATUSES)[number];
