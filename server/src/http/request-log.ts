import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
	type FastifyServerOptions,
	type FastifyReply,
	type FastifyRequest,
	LogController,
} from 'fastify';
import { HISTORY_HEADER } from '../contract/push-headers.ts';
import type { Caller } from '../service/context.ts';

/** Logs failures after the headers have been sent, but not each request. */
export class RequestLog extends LogController {
	constructor() {
		super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
	}

	override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
		// A client that hangs up ends its stream this way; it is not an error.
		if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
		request.log.error({ err: error }, 'a response was aborted');
	}
}

export const REQUEST_ID_HEADER = 'x-request-id';

/** The form an id from outside must have: it appears in the log and in responses. */
const WELL_FORMED = /^[\w.-]{1,64}$/;

/** Returns whether an address belongs to a proxy the settings trust. */
type TrustsAddress = (address: string, hop: number) => boolean;

/**
 * Names requests: by the `X-Request-Id` a trusted proxy set, so its log and ours can be read together, or by a
 * new UUID. A client's own id is ignored, so no client can make ids clash.
 */
export function requestIds(isTrusted: TrustsAddress | undefined) {
	return ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
		const id = isTrusted?.(socket.remoteAddress ?? '', 0) && headers[REQUEST_ID_HEADER];
		return typeof id === 'string' && WELL_FORMED.test(id) ? id : randomUUID();
	};
}

/** W3C Trace Context, section 3.2; later versions may have further parts. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?=-|$)/;

/** Adds a request's `traceparent` to its lines in the log. */
export const withTrace: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
	logger,
	bindings,
	options,
	{ headers },
) => {
	const [traceparent] = TRACEPARENT.exec(String(headers.traceparent)) ?? [];
	return logger.child({ ...bindings, ...(traceparent && { traceparent }) }, options);
};

/** Ties a request to the history: the entry gets the request's id, and the response the entry's. */
export function historyLinks(request: FastifyRequest, reply: FastifyReply) {
	return {
		requestId: request.id,
		onRecorded: (historyId: string) => void reply.header(HISTORY_HEADER, historyId),
	} satisfies Partial<Caller>;
}
