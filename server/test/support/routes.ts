import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';

/** A route as registered by the app. */
export interface Route {
	method: string;
	/** Its template, such as `/api/metrics/:key/value`. */
	url: string;
	body: z.ZodType | undefined;
	query: z.ZodType | undefined;
}

/** Every route of the app that is built, as Fastify reports it: added routes are tested too. */
export async function routesOf(build: () => Promise<unknown>): Promise<Route[]> {
	const routes: Route[] = [];
	const onApp = (message: unknown) => {
		const { fastify } = message as { fastify: FastifyInstance };
		fastify.addHook('onRoute', ({ method, url, schema }: RouteOptions) => {
			for (const name of [method].flat()) {
				routes.push({
					method: name,
					url,
					body: schema?.body as z.ZodType | undefined,
					query: schema?.querystring as z.ZodType | undefined,
				});
			}
		});
	};
	subscribe('fastify.initialization', onApp);
	try {
		await build();
	} finally {
		unsubscribe('fastify.initialization', onApp);
	}
	return routes;
}
