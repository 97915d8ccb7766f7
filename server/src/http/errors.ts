import type { Socket } from 'node:net';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_STORED } from '../contract/errors.ts';
import {
	Refusal,
	type RefusalKind,
	TooManyRequests,
	toStorageFailure,
} from '../service/refusal.ts';

const STATUS: Record<RefusalKind, number> = {
	invalid: 400,
	unauthorized: 401,
	billing: 402,
	forbidden: 403,
	not_found: 404,
	conflict: 409,
	no_recipients: 422,
	key_reused: 422,
	badge_disconnected: 422,
	badge_failed: 502,
	capacity: 429,
	too_many: 429,
};

/** The refusals of the HTTP layer itself, by Fastify's error code. */
const FRAMEWORK_REFUSALS: Record<string, { error: string; message: string }> = {
	FST_ERR_CTP_INVALID_MEDIA_TYPE: {
		error: 'Unsupported content type',
		message: 'Send the body as JSON, with the header Content-Type: application/json.',
	},
	FST_ERR_CTP_BODY_TOO_LARGE: {
		error: 'Body too large',
		message: 'The body must be at most {limit} KiB. Shorten the longest texts.',
	},
	FST_ERR_CTP_INVALID_JSON_BODY: {
		error: 'Invalid JSON',
		message:
			'The body is not valid JSON: check quotes, commas and brackets. Or it has a property named __proto__ or constructor.prototype, which is not allowed.',
	},
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
		error: 'Invalid request',
		message: 'The body is shorter or longer than its Content-Length says.',
	},
};

/** Seconds after which it makes sense to resend a request the store could not accept. */
const STORE_RETRY_SECONDS = 5;

/** Seconds after which it makes sense to ask another server, or this one restarted. */
const RESTART_SECONDS = 1;

/** Milliseconds a closing connection stays open so the client can read the response. */
const LINGER_MS = 1_000;

const STORE_MESSAGES = {
	unavailable:
		'The server cannot write to its storage at the moment. Nothing was stored or sent; try again.',
	uncertain:
		'The server lost its storage while storing this request, and does not know whether it was stored. Check the history before you send it again.',
};

export interface ErrorResponse {
	status: number;
	headers?: Record<string, string | number>;
	/** `request_id` identifies the response in the log. */
	body: { error: string; message: string; code?: string; request_id?: string };
}

/** Responds to any error of a request with its documented status and `{error, message}`. */
export function sendError(
	error: FastifyError | Refusal,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const { status, headers = {}, body } = responseTo(error, request);
	reply.status(status).headers(headers).send(body);
}

const refusals = new WeakMap<FastifyRequest, ErrorResponse['body']>();

/** Why the request was refused; undefined if it was not. */
export function refusalOf(request: FastifyRequest): ErrorResponse['body'] | undefined {
	return refusals.get(request);
}

/** The response to any error of a request; logs those that are the server's own. */
export function responseTo(error: FastifyError | Refusal, request: FastifyRequest): ErrorResponse {
	const response = buildResponse(error, request);
	refusals.set(request, response.body);
	return response;
}

function buildResponse(error: FastifyError | Refusal, request: FastifyRequest): ErrorResponse {
	if (error instanceof Refusal)
		return {
			status: STATUS[error.kind],
			headers: {
				...(error.kind === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
				...(error instanceof TooManyRequests && { 'retry-after': error.retryAfter }),
			},
			body: { error: error.error, message: error.message, ...error.details },
		};
	const status = error.statusCode ?? 500;
	if (status >= 400 && status < 500) {
		const { error: what = STATUS_CODES[status] ?? 'Bad Request', message = error.message } =
			FRAMEWORK_REFUSALS[error.code] ?? {};
		const limit = String(request.routeOptions.bodyLimit / 1_024);
		return { status, body: { error: what, message: message.replace('{limit}', limit) } };
	}
	request.log.error({ err: error }, 'request failed');
	const failure = toStorageFailure(error);
	if (failure !== undefined)
		return {
			status: 503,
			headers: { 'retry-after': STORE_RETRY_SECONDS },
			body: {
				error: 'Storage unavailable',
				message: STORE_MESSAGES[failure],
				...(failure === 'unavailable' && { code: NOT_STORED }),
				request_id: request.id,
			},
		};
	return {
		status: 500,
		body: {
			error: 'Internal Server Error',
			message: `Something went wrong on the server. Its log has the details under request ${request.id}.`,
			request_id: request.id,
		},
	};
}

export function sendStopping(request: FastifyRequest, reply: FastifyReply): void {
	reply.status(503).header('retry-after', RESTART_SECONDS).send({
		error: 'Stopping',
		message: 'The server is stopping. Nothing was stored or sent; try again.',
		code: NOT_STORED,
		request_id: request.id,
	});
}

/** Refuses an Expect header that no server supports (RFC 9110 section 10.1.1), before routing. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
	response.writeHead(417, { 'content-type': 'application/json', connection: 'close' }).end(
		JSON.stringify({
			error: 'Expectation Failed',
			message: 'The Expect header supports only 100-continue.',
		}),
	);
}

/** The status of an error of Node.js; of all others 400. */
const CLIENT_ERRORS: Record<string, number> = {
	HPE_HEADER_OVERFLOW: 431,
	ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Refuses input that is not HTTP or exceeds its limits, before a request exists. */
export function refuseClientError(error: Error & { code?: string }, socket: Socket): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}
	const status = CLIENT_ERRORS[error.code ?? ''] ?? 400;
	const reason = STATUS_CODES[status] ?? 'Bad Request';
	const body = JSON.stringify({ error: reason, message: 'The server cannot read this request.' });
	// Leaves time to read the reason; the rest of a slow client's request is not awaited.
	setTimeout(() => socket.destroy(), LINGER_MS).unref();
	socket.end(
		`HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
	);
}
