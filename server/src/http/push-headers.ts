import { IDEMPOTENCY_HEADER, plainPushHeaders, pushHeaders } from '../contract/push-headers.ts';
import { requireFitting } from '../service/refusal.ts';
import type { IdempotencyKey } from '../service/sending/kept-answers.ts';
import type { PushOptions } from '../service/sending/pushes.ts';
import type { Exchange } from './routes/register.ts';

/**
 * The key of a push, if it has one; the answer then says whether it is new or replayed.
 * @throws Refusal `invalid`
 */
export function idempotencyKeyIn({ request, reply }: Exchange): IdempotencyKey | undefined {
	const sent = request.headers['idempotency-key'];
	if (sent === undefined) return undefined;
	const { 'Idempotency-Key': value = '' } = requireFitting(pushHeaders, {
		'Idempotency-Key': sent,
	});
	reply.header(IDEMPOTENCY_HEADER, 'new');
	return { value, replayed: () => void reply.header(IDEMPOTENCY_HEADER, 'replayed') };
}

/**
 * What the headers of a push say.
 * @throws Refusal `invalid`
 */
export function pushOptionsIn(exchange: Exchange): PushOptions {
	const key = idempotencyKeyIn(exchange);
	const { 'x-sequence-id': id, ttl: seconds } = exchange.request.headers;
	if (id === undefined && seconds === undefined) return { key };
	const { 'X-Sequence-ID': sequenceId, TTL: ttl } = requireFitting(plainPushHeaders, {
		'X-Sequence-ID': id,
		TTL: seconds,
	});
	return { key, sequenceId, ttl };
}
