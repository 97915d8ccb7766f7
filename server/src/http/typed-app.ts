import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** An instance whose handlers get the types of their zod schemas. */
export type TypedApp = ReturnType<typeof typed>;

export function typed(app: FastifyInstance) {
	return app.withTypeProvider<ZodTypeProvider>();
}
