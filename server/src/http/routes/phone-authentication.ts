import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireDeviceByToken, type Phone } from '../../service/phones/pairing.ts';
import { unauthorized } from '../../service/refusal.ts';
import { bearerToken } from '../gate.ts';
import { refuseFor } from '../limits.ts';
import type { HttpParts } from '../typed-app.ts';
import { Turns } from '../turns.ts';

/** Streams one phone can open per window: reconnecting as docs/device-protocol.md says needs fewer. */
const STREAMS_PER_WINDOW = 60;

/** Concurrent requests of one phone. */
const MAX_UNDER_WAY = 10;

const RETRY_AFTER_SECONDS = 1;

const refuse = refuseFor('Too many requests', 'This phone sends too many requests.');

/**
 * Finds the paired phone that calls, within its rate limit. Its concurrent calls are bounded, so a busy phone delays
 * only itself; event streams have their own bound.
 */
export function phoneFinder({ context, limiter, config }: HttpParts) {
	const calls = new Turns<string>({ underWay: MAX_UNDER_WAY, waiting: 0 });
	return async (request: FastifyRequest, reply: FastifyReply, isStream = false): Promise<Phone> => {
		const token = bearerToken(request.headers.authorization);
		if (token === undefined)
			throw unauthorized(
				'Unauthorized',
				'Send the token that pairing returned as Authorization: Bearer <token>.',
			);
		const device = await requireDeviceByToken(context, token);
		const policies = [{ name: 'device', subject: device.id, quota: config.BECKON_RATE_PER_DEVICE }];
		if (isStream)
			policies.push({ name: 'device-streams', subject: device.id, quota: STREAMS_PER_WINDOW });
		await limiter.spend(policies, refuse);
		if (!isStream) await calls.waitTurn(device.id, reply.raw, () => refuse(RETRY_AFTER_SECONDS));
		return device;
	};
}
