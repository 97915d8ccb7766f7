import { z } from 'zod';
import { channelSlug, listOf, queryNumber } from './common.ts';
import { streamKey } from './live-activities.ts';
import { metricFormat, metricKey } from './metrics.ts';
import { displayName } from './text.ts';
import { triggerId } from './triggers.ts';

/** Maximum entries per page. */
const MAX_PAGE = 200;

/**
 * The query and the response of a list, page by page.
 * @param name of the list in the response
 * @param id its name in the OpenAPI document
 * @param key the field by which it is ordered
 */
function list<N extends string, K extends z.ZodType, S extends z.ZodRawShape>(
	name: N,
	id: string,
	key: K,
	entry: S,
) {
	const query = z.strictObject({
		after: key.optional().describe('The `next` of the previous page.'),
		limit: queryNumber(1, MAX_PAGE).default(MAX_PAGE).describe('Maximum entries per page.'),
	});
	return { query, response: listOf(name, id, z.strictObject(entry)) };
}

/** GET /channels */
export const channelList = list('channels', 'ChannelList', channelSlug, {
	slug: z.string(),
	name: z.string(),
});

/** GET /phones */
export const phoneList = list('phones', 'PhoneList', channelSlug, {
	slug: z.string().describe('Reaches this phone alone, wherever a request names channels.'),
	name: z.string(),
	user: z.string(),
});

/** GET /people */
export const peopleList = list('people', 'PersonList', displayName, {
	name: z.string().describe('As answerable_by takes it.'),
});

/** GET /metrics */
export const metricList = list('metrics', 'MetricList', metricKey, {
	key: z.string(),
	name: z.string(),
	format: metricFormat,
	unit: z.string().nullable(),
});

/** GET /live-activity/streams */
export const streamList = list('streams', 'StreamList', streamKey, {
	stream_key: z.string(),
	title: z.string().nullable().describe('The title it shows, or will show once resumed.'),
	status: z
		.enum(['running', 'paused', 'idle'])
		.describe('idle: it has no activity until its next PUT starts one.'),
});

/** GET /triggers: workflows that a button can start. */
export const triggerList = list('triggers', 'TriggerList', triggerId, {
	trigger_id: z.string(),
	name: z.string(),
	listening: z.boolean().describe('False: a tap waits for a day.'),
});

export type StreamStatus = z.output<typeof streamList.response>['streams'][number]['status'];
