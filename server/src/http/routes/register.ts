import type {
	FastifyInstance,
	FastifyReply,
	FastifyRequest,
	HTTPMethods,
	RouteOptions,
} from 'fastify';
import type { z } from 'zod';
import type { CallResponse, Call, Received } from '../../contract/calls.ts';
import { MAX_IMAGE_BYTES } from '../../contract/images.ts';
import { takePictures } from '../images.ts';
import { plugin } from '../typed-app.ts';

/** In bytes: 16,000 characters of a message take 12 bytes each, if all are emoji that are escaped. */
const MAX_MESSAGE_BODY_BYTES = 256 * 1_024;

/** What every handler gets. */
export interface Exchange {
	request: FastifyRequest;
	reply: FastifyReply;
}

/** Handles a call. Its result is dropped if the contract has no response for it. */
type Handler<C extends Call, Client> = (
	exchange: Exchange & Client & Received<C>,
) => C extends { response: z.ZodType } ? CallResponse<C> | Promise<CallResponse<C>> : unknown;

/** A handler for some of the clients of its kind. */
interface Row<H, Client> {
	handler: H;
	/** @throws Refusal for clients that may not call it */
	allow?: (client: Client) => void;
}

/** A table of routes: the handler of each call, which gets its client. */
export type Routes<Calls extends Record<string, Call>, Client> = {
	readonly [Name in keyof Calls]:
		Handler<Calls[Name], Client> | Row<Handler<Calls[Name], Client>, Client>;
};

type AnyHandler = (exchange: never) => unknown;

type Identify<C extends Call, Client> = (
	request: FastifyRequest,
	reply: FastifyReply,
	call: C,
) => Client | Promise<Client>;

/** A kind of client, with its own way to authenticate. */
interface ClientKind<C extends Call, Client> {
	/**
	 * Runs before the body is read.
	 * @returns the client, which the handlers get in addition to the request and its contents
	 * @throws Refusal for anyone else
	 */
	identify: Identify<C, Client>;
	/** Runs once the body of a request has arrived, which may take long: its client may have lost a right meanwhile. */
	confirm?: Identify<C, Client>;
	/** Runs once the response has been sent. */
	afterResponse?: (client: Client, request: FastifyRequest) => void;
}

/** Registers the routes of all these calls, for one kind of client. */
export function registerRoutes<Calls extends Record<string, Call>, Client extends object>(
	app: FastifyInstance,
	calls: Calls,
	routes: Routes<Calls, Client>,
	{ identify, confirm, afterResponse }: ClientKind<Calls[keyof Calls], Client>,
): void {
	const rows: Readonly<Record<string, AnyHandler | Row<AnyHandler, Client>>> = routes;
	const clients = new WeakMap<FastifyRequest, Client>();
	for (const [name, call] of Object.entries(calls) as Array<[string, Calls[keyof Calls]]>) {
		const row = rows[name];
		if (!row) throw new Error(`The call ${name} has no route`);
		const { handler, allow }: Row<AnyHandler, Client> =
			typeof row === 'function' ? { handler: row } : row;
		const [method, url = ''] = name.split(' ');
		const admit =
			(find: typeof identify) => async (request: FastifyRequest, reply: FastifyReply) => {
				reply.header('cache-control', 'no-store');
				const client = await find(request, reply, call);
				clients.set(request, client);
				allow?.(client);
			};
		const schema = { params: call.params, querystring: call.query, body: call.body };
		const options: RouteOptions = {
			method: method as HTTPMethods,
			url,
			// Fastify warns about parts that are present but undefined.
			...(call.hasMessage && { bodyLimit: MAX_MESSAGE_BODY_BYTES }),
			schema: Object.fromEntries(Object.entries(schema).filter(([, part]) => part !== undefined)),
			onRequest: admit(identify),
			...(confirm && method !== 'GET' && { preHandler: admit(confirm) }),
			onResponse: (request, _reply, done) => {
				const client = clients.get(request);
				if (client) afterResponse?.(client, request);
				done();
			},
			handler: (request, reply) => {
				const { params, query, body } = request;
				const exchange = { ...clients.get(request), request, reply, params, query, body };
				const result = handler(exchange as never);
				return call.response ? result : Promise.resolve(result).then(() => ({ success: true }));
			},
		};
		if (call.takesPicture) {
			void app.register(
				plugin('pictures', (inside) => {
					takePictures(inside);
					inside.route({ ...options, bodyLimit: MAX_IMAGE_BYTES });
				}),
			);
		} else app.route(options);
	}
}
