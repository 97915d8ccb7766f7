import { z } from 'zod';
import { channelSlug, listOf, wholeOf } from './common.ts';
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

/** Query of GET /channels. */
export const channelsQuery = pageQuery(channelSlug);
const listedChannel = z.strictObject({ slug: z.string(), name: z.string() });
export const channelsResponse = listOf('channels', 'ChannelList', listedChannel);

/** Query of GET /phones. */
export const phonesQuery = pageQuery(channelSlug);
const listedPhone = z.strictObject({
	slug: z.string().describe('Reaches this phone alone, wherever a request names channels.'),
	name: z.string(),
	user: z.string(),
});
export const phonesResponse = listOf('phones', 'PhoneList', listedPhone);

/** Query of GET /people. */
export const peopleQuery = pageQuery(givenName);
const listedPerson = z.strictObject({ name: z.string().describe('As answerable_by takes it.') });
export const peopleResponse = listOf('people', 'PersonList', listedPerson);

/** Query of GET /metrics. */
export const metricsQuery = pageQuery(metricKey);
const listedMetric = z.strictObject({
	key: z.string(),
	name: z.string(),
	format: metricFormat,
	unit: z.string().nullable(),
});
export const metricsResponse = listOf('metrics', 'MetricList', listedMetric);

const STREAM_STATUSES = ['running', 'paused', 'idle'] as const;

/** Query of GET /live-activity/streams. */
export const streamsQuery = pageQuery(streamKey);
const listedStream = z.strictObject({
	stream_key: z.string(),
	title: z.string().nullable().describe('The title it shows, or will show once resumed.'),
	status: z
		.enum(STREAM_STATUSES)
		.describe('idle: it has no activity until its next PUT starts one.'),
});
export const streamsResponse = listOf('streams', 'StreamList', listedStream);

/** Query of GET /triggers. */
export const triggersQuery = pageQuery(triggerId);

/** A workflow that a button can start. */
const listedTrigger = z.strictObject({
	trigger_id: z.string(),
	name: z.string(),
	listening: z.boolean().describe('False: a tap waits for a day.'),
});
export const triggersResponse = listOf('triggers', 'TriggerList', listedTrigger);

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
