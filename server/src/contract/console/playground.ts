import { z } from 'zod';
import type { Call } from '../calls.ts';
import { PUBLIC_CALLS } from '../public-calls.ts';
import type { Notification, ShownActivity, ShownMetric } from '../shown.ts';

/** The calls of the public API, by the names that the Playground gives them. */
export const PLAYGROUND_CALLS = {
	push: 'POST /push-notification',
	badge: 'POST /badge',
	stream: 'PUT /live-activity/stream/:stream_key',
	stream_end: 'DELETE /live-activity/stream/:stream_key',
	start: 'POST /live-activity/start',
	update: 'POST /live-activity/update',
	end: 'POST /live-activity/end',
	metric: 'POST /metrics/:key/value',
	repeated: 'POST /push-notification/repeated',
	repeated_stop: 'DELETE /push-notification/repeated/:repeat_id',
	question: 'POST /questions',
	channels: 'GET /channels',
	phones: 'GET /phones',
	metrics: 'GET /metrics',
	streams: 'GET /live-activity/streams',
} as const satisfies Record<string, keyof typeof PUBLIC_CALLS>;

type Calls = typeof PLAYGROUND_CALLS;

/** A request with this name, to this call. */
type Request<Name, C> = { request: Name } & (C extends { params: z.ZodType }
	? { key: string }
	: unknown) &
	(C extends { body: infer S extends z.ZodType } | { query: infer S extends z.ZodType }
		? { body: NonNullable<z.output<S>> }
		: never);

export type PlaygroundRequest = {
	[Name in keyof Calls]: Request<Name, (typeof PUBLIC_CALLS)[Calls[Name]]>;
}[keyof Calls];

function toSchema([name, call]: [string, Calls[keyof Calls]]) {
	const { params, query = z.null(), body = query }: Call = PUBLIC_CALLS[call];
	const [key] = params instanceof z.ZodObject ? Object.values<z.ZodType>(params.shape) : [];
	// It is always there, even where the API lets it be absent.
	const sent = body instanceof z.ZodNullable ? (body.unwrap() as z.ZodType) : body;
	return z.strictObject({ request: z.literal(name), ...(key && { key }), body: sent });
}

/**
 * The requests of the public API, as the Playground sends them: `key` is the one in the path, `body` exactly
 * the body a workflow would send, or the query of a list.
 */
export const playgroundRequest = z.discriminatedUnion(
	'request',
	Object.entries(PLAYGROUND_CALLS).map(toSchema) as [ReturnType<typeof toSchema>],
);

/** The request as a phone would show it if it were sent. */
export interface PlaygroundPreview {
	server_time: string;
	notification?: Notification;
	activity?: ShownActivity;
	metric?: ShownMetric;
	badge?: number;
	/** Phones that it would reach; null: it is not for phones. */
	phones: number | null;
}
