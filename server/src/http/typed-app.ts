import type { FastifyInstance, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { z } from 'zod';
import { toIssues } from '../contract/issues.ts';
import { invalidRequest } from '../service/refusal.ts';
import type { Config } from '../config.ts';
import type { Context } from '../service/context.ts';
import type { RateLimiter } from './limits.ts';

interface ZodTypes extends FastifyTypeProvider {
	validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
}

/** An instance whose handlers get the types of their zod schemas. */
export type TypedApp = ReturnType<typeof typed>;

function typed(app: FastifyInstance) {
	return app.withTypeProvider<ZodTypes>();
}

/**
 * Routes with their own hooks. Fastify names them in its errors; without a name it searches every loaded
 * module for one.
 */
export function plugin(name: string, register: (app: TypedApp) => void | Promise<void>) {
	return fastifyPlugin(async (app: FastifyInstance) => register(typed(app)), {
		name,
		encapsulate: true,
	});
}

/** Checks bodies, path parameters and queries against their contract schemas. */
export const requestValidator: FastifySchemaCompiler<z.ZodType> =
	({ schema }) =>
	(input) => {
		const parsed = schema.safeParse(input);
		if (parsed.success) return { value: parsed.data };
		return { error: invalidRequest(toIssues(parsed.error, input)) };
	};

/** What the routes depend on. */
export interface HttpParts {
	context: Context;
	/** Counts requests, in the window that the settings name. */
	limiter: RateLimiter;
	config: Config;
}
