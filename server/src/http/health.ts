import type { FastifyInstance } from 'fastify';
import type { Context } from '../service/context.ts';
import { Readiness } from '../service/upkeep/readiness.ts';
import { toStorageFailure } from '../service/refusal.ts';
import { sendStopping } from './errors.ts';

/**
 * GET /healthz: the process is alive. GET /readyz: it can work now; 503 otherwise, also while it
 * stops. For load balancers and service managers: no authentication, no cookies.
 */
export function registerHealth(app: FastifyInstance, context: Context, stopping?: AbortSignal) {
	const readiness = new Readiness(context.database);
	app.addHook('onError', (_request, _reply, error, done) => {
		if (toStorageFailure(error) !== undefined) readiness.doubt();
		done();
	});
	const noStore = { 'cache-control': 'no-store' };
	app.get('/healthz', (_request, reply) => reply.headers(noStore).send({ status: 'ok' }));
	app.get('/readyz', async (request, reply) => {
		reply.headers(noStore);
		if (stopping?.aborted) {
			sendStopping(request, reply);
			return reply;
		}
		try {
			await readiness.check();
			return { status: 'ready' };
		} catch (error) {
			request.log.warn({ err: error }, 'not ready');
			return reply.status(503).send({
				error: 'Not ready',
				message: 'The storage is not responding or not accepting writes. See the log.',
			});
		}
	});
}
