import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TypedApp } from './typed-app.ts';

const compress = promisify(gzip);

/** Shorter responses fit one packet anyway. */
const WORTHWHILE_BYTES = 1_400;

/** Fast rather than small: it competes with the deliveries for the processor. */
const LEVEL = 3;

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?(,|$))/i;

/**
 * Compresses the JSON of a plugin's GET routes, for clients that accept it. Responses to changes stay uncompressed: they
 * contain secrets next to text from the request, and the compressed length would reveal them (BREACH).
 */
export function compressJson(app: TypedApp): void {
	app.addHook('onSend', async (request, reply, payload) => {
		if (request.method !== 'GET' || typeof payload !== 'string') return payload;
		if (payload.length < WORTHWHILE_BYTES) return payload;
		reply.header('vary', 'accept-encoding');
		if (!ACCEPTS_GZIP.test(request.headers['accept-encoding'] ?? '')) return payload;
		reply.header('content-encoding', 'gzip').removeHeader('content-length');
		return compress(payload, { level: LEVEL });
	});
}
