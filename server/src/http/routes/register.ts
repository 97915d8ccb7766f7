import type {
	FastifyInstance,
	FastifyReply,
	FastifyRequest,
	HTTPMethods,
	RouteOptions,
} from 'fastify';
import type { z } from 'zod';
import type { Answered, Call, Received } from '../../contract/calls.ts';
import { MAX_IMAGE_BYTES } from '../../contract/images.ts';
import { takePictures } from '../picture-bodies.ts';
import { plugin } from '../typed-app.ts';

/** What every handler gets. */
export interface Exchange {
	request: FastifyRequest;
	reply: FastifyReply;
}

/** Answers a call. Its result is dropped if the contract has no answer for the call. */
type Handler<C extends Call, Known> = (
	exchange: Exchange & Known & Received<C>,
) => C extends { answer: z.ZodType } ? Answered<C> | Promise<Answered<C>> : unknown;

/** A handler, and what else there is to know about its route. */
interface Row<H, Known> {
	handler: H;
	/** @throws Refusal for clients of this kind that may not call it */
	allow?: (known: Known) => void;
	/** True if the answer stays open for events. */
	isStream?: true;
	/** True if the body is a picture instead of JSON. */
	takesPicture?: true;
}

/** A table of routes: the handler of each call, given what is known about its client. */
export type Routes<Calls extends Record<string, Call>, Known> = {
	readonly [Name in keyof Calls]:
		Handler<Calls[Name], Known> | Row<Handler<Calls[Name], Known>, Known>;
};

/** The words for the OpenAPI document, with the answers by status besides 200. */
export interface Description {
	operationId?: string;
	summary?: string;
	tags?: string[];
	errors?: Record<number, z.ZodType>;
}

type AnyHandler = (exchange: never) => unknown;
type AnyRow = Row<AnyHandler, never>;

/** A kind of client, with its own way to authenticate. */
interface Client<Known> {
	/**
	 * Runs before the body is read.
	 * @returns what the handlers get in addition to the request and its contents
	 * @throws Refusal for anyone else
	 */
	identify: (request: FastifyRequest, reply: FastifyReply, row: AnyRow) => Known | Promise<Known>;
	/** Runs once a client was answered. */
	answered?: (known: Known, request: FastifyRequest) => void;
}

/** Registers a table of routes for one kind of client. `calls` is their contract. */
export function registerRoutes<Known extends object>(
	app: FastifyInstance,
	calls: Readonly<Record<string, Call & Description>>,
	routes: Readonly<Record<string, AnyHandler | AnyRow>>,
	{ identify, answered }: Client<Known>,
): void {
	const clients = new WeakMap<FastifyRequest, Known>();
	for (const [name, route] of Object.entries(routes)) {
		const row: AnyRow = typeof route === 'function' ? { handler: route } : route;
		const { params, query, body, answer, errors, operationId, summary, tags } = calls[name] ?? {};
		const [method, url = ''] = name.split(' ');
		const response = errors && { 200: answer, ...errors };
		const schema = { operationId, summary, tags, params, querystring: query, body, response };
		const options: RouteOptions = {
			method: method as HTTPMethods,
			url,
			// Fastify warns about parts that are present but undefined.
			schema: Object.fromEntries(Object.entries(schema).filter(([, part]) => part !== undefined)),
			onRequest: async (request, reply) => {
				reply.header('cache-control', 'no-store');
				const known = await identify(request, reply, row);
				clients.set(request, known);
				row.allow?.(known as never);
			},
			onResponse: (request, _reply, done) => {
				const known = clients.get(request);
				if (known) answered?.(known, request);
				done();
			},
			handler: (request, reply) => {
				const { params, query, body } = request;
				const exchange = { ...clients.get(request), request, reply, params, query, body };
				const result = row.handler(exchange as never);
				return answer ? result : Promise.resolve(result).then(toSuccess);
			},
		};
		if (row.takesPicture) {
			void app.register(
				plugin('pictures', (inside) => {
					takePictures(inside);
					inside.route({ ...options, bodyLimit: MAX_IMAGE_BYTES });
				}),
			);
		} else app.route(options);
	}
}

function toSuccess(): { success: true } {
	return { success: true };
}
