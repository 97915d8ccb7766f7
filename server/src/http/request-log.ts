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
		request.log.error({ err: error }, 'an answer broke off');
	}
}
