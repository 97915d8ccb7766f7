import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** An instance whose handlers get the types of their zod schemas. */
export type TypedApp = ReturnType<typeof typed>;

function typed(app: FastifyInstance) {
	return app.withTypeProvider<ZodTypeProvider>();
}

/**
 * Routes with hooks of their own. Fastify names them in its errors; without a name it searches every loaded
 * module for one.
 */
export function plugin(name: string, register: (app: TypedApp) => void | Promise<void>) {
	return fastifyPlugin(async (app: FastifyInstance) => register(typed(app)), {
		name,
		encapsulate: true,
	});
}
