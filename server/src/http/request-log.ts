import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Logs failures after the headers have been sent, but not each request. */
export class RequestLog extends LogController {
	constructor() {
		super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
	}

	override streamError(
		error: Error & { code?: string },
		request: FastifyRequest,
		_reply: FastifyReply,
	): void {
		// A client that hangs up ends its stream this way; it is not an error.
		if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
		request.log.error({ err: error }, 'an answer was cut off');
	}
}

export const REQUEST_ID_HEADER = 'x-request-id';

/** The form an id from outside must have: it appears in the log and in answers. */
const WELL_FORMED = /^[\w.-]{1,64}$/;

/** Returns whether an address belongs to a proxy the settings trust. */
export type TrustsAddress = (address: string, hop: number) => boolean;

/**
 * Names requests: by the `X-Request-Id` a trusted proxy set, so its log and ours can be read together, or by a
 * new UUID. A client's own id is ignored, so no client can make ids clash.
 */
export function requestIds(isTrusted: TrustsAddress | undefined) {
	return ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
		const given = isTrusted && headers[REQUEST_ID_HEADER];
		return typeof given === 'string' &&
			WELL_FORMED.test(given) &&
			isTrusted?.(socket.remoteAddress ?? '', 0)
			? given
			: randomUUID();
	};
}
