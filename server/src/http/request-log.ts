import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Requests are not logged one by one; what goes wrong after the headers have left, is. */
export class RequestLog extends LogController {
	constructor() {
		super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
	}

	override streamError(
		error: Error & { code?: string },
		request: FastifyRequest,
		_reply: FastifyReply,
	): void {
		// A client that hangs up ends its stream this way; that is no error.
		if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
		request.log.error({ err: error }, 'an answer broke off');
	}
}
