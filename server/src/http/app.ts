import { type Socket, isIP } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import {
	fastify,
	type FastifyBaseLogger,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';
import type { Config } from '../config.ts';
import type { Context } from '../service/context.ts';
import { invalid, invalidRequest } from '../service/refusal.ts';
import { limitConnections, limitRequests, closeWithoutWaiting } from './connections.ts';
import { refuseClientError, sendError, refuseExpectation, sendStopping } from './errors.ts';
import { registerHealth } from './health.ts';
import { registerImageFiles } from './images.ts';
import { RateLimiter } from './limits.ts';
import { sendNotFound } from './not-found.ts';
import { registerPages } from './pages.ts';
import { REQUEST_ID_HEADER, RequestLog, requestIds, withTrace } from './request-log.ts';
import { registerConsoleApi } from './routes/console.ts';
import { registerDeviceApi } from './routes/phone.ts';
import { registerPublicApi } from './routes/public.ts';
import { registerMcp } from './mcp/index.ts';
import { registerSenders } from './senders/index.ts';
import { plugin, requestValidator } from './typed-app.ts';
import { cutUnread } from './unread-responses.ts';

/** Largest request body in bytes (docs/api-decisions.md "Requests"). */
const MAX_BODY_BYTES = 64 * 1024;

/** Milliseconds a client has to send a whole request, so slow ones cannot hold connections. */
const REQUEST_TIMEOUT_MS = 20_000;

/** Milliseconds a client has to send the headers. */
const HEADERS_TIMEOUT_MS = 10_000;

/** Milliseconds between Node's checks of these timeouts. */
const TIMEOUT_CHECK_MS = 1_000;

/** Longer than proxies keep idle connections (Caddy: 120 s): a request fails if its connection closes as it is sent. */
const KEEP_ALIVE_MS = 150_000;

const NO_HOST = 'The request has no Host header.';

/** RFC 9112 section 3.2. */
function lacksHost({ headers, raw }: FastifyRequest): boolean {
	return headers.host === undefined && raw.httpVersion === '1.1';
}

/** Node's limit for a request line: a key of any length reaches the rule that accepts or rejects it. */
const MAX_PATH_PARAMETER = 16 * 1_024;

export type App = FastifyInstance;

type OnResponse = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * The whole HTTP side, ready to listen or to be injected into.
 * @param stopping aborted once the server must stop; requests still get responses until it closes
 * @param onResponse called once a response has been sent
 */
export async function createApp(
	context: Context,
	config: Config,
	logger: FastifyBaseLogger | false,
	{ stopping, onResponse }: { stopping?: AbortSignal; onResponse?: OnResponse | undefined } = {},
): Promise<App> {
	const trustedProxies = config.BECKON_TRUSTED_PROXIES;
	const isTrusted = trustedProxies.length > 0 ? compile(trustedProxies) : undefined;
	const app: FastifyInstance = fastify({
		...(logger ? { loggerInstance: logger } : { logger: false }),
		logController: new RequestLog(),
		childLoggerFactory: withTrace,
		genReqId: requestIds(isTrusted),
		bodyLimit: MAX_BODY_BYTES,
		trustProxy: isTrusted ?? false,
		rewriteUrl: (request) => decodablePath(request.url ?? '/'),
		routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
		frameworkErrors: sendError,
		clientErrorHandler: refuseClientError,
		return503OnClosing: false,
		requestTimeout: REQUEST_TIMEOUT_MS,
		keepAliveTimeout: KEEP_ALIVE_MS,
		// Node's own replies here have no body.
		http: {
			requireHostHeader: false,
			headersTimeout: HEADERS_TIMEOUT_MS,
			connectionsCheckingInterval: TIMEOUT_CHECK_MS,
		},
	});
	app.server.on('checkExpectation', refuseExpectation);

	limitConnections(app, isTrusted && ((address) => isTrusted(address, 0)));
	const turns = limitRequests(app);
	cutUnread(app, turns);
	closeWithoutWaiting(app, turns);
	acceptOnlyJson(app);
	app.setValidatorCompiler(requestValidator);
	app.setErrorHandler(sendError);
	app.setNotFoundHandler(sendNotFound);
	if (isTrusted) keepOnlyAddresses(app);
	app.addHook('onRequest', (request, reply, done) => {
		reply.header('x-content-type-options', 'nosniff').header(REQUEST_ID_HEADER, request.id);
		done(lacksHost(request) ? invalid('Bad Request', NO_HOST) : undefined);
	});
	if (stopping) closeConnectionsWhileStopping(app, stopping);
	refuseWhileClosing(app);
	// Before the body is read, so an unknown path never gets a size or type error.
	app.addHook('onRequest', (request, reply, done) => {
		if (request.is404) sendNotFound(request, reply);
		else done();
	});
	if (onResponse)
		app.addHook('onResponse', (request, reply, done) => {
			onResponse(request, reply);
			done();
		});
	app.addHook('onClose', () => context.requests.flush());
	app.addHook('onClose', () => context.lastUsed.idle());

	registerHealth(app, context, stopping);
	const { database, now } = context;
	const limiter = new RateLimiter(config.BECKON_RATE_WINDOW_SECONDS, database.rateWindows, now);
	const parts = { context, limiter, config };
	const publicApi = plugin('public-api', (api) => registerPublicApi(api, parts));
	await app.register(publicApi, { prefix: '/api' });
	await app.register(plugin('senders', (routes) => registerSenders(routes, parts)));
	if (config.BECKON_MCP) await app.register(plugin('mcp', (routes) => registerMcp(routes, parts)));
	const deviceApi = plugin('device-api', (api) => registerDeviceApi(api, parts));
	await app.register(deviceApi, { prefix: '/device' });
	const consoleApi = plugin('console-api', (api) => registerConsoleApi(api, parts));
	await app.register(consoleApi, { prefix: '/console/api' });
	await app.register(plugin('images', (files) => registerImageFiles(files, parts)));
	await app.register(plugin('pages', registerPages));
	return app;
}

/**
 * Makes a path with broken percent-encoding decodable. It then reaches its route, where it is authenticated,
 * counted and refused by its parameter's rule like any other wrong key.
 */
function decodablePath(url: string): string {
	try {
		// The value is used because a bundler considers the function pure and drops a call
		// made only for its error.
		return decodeURIComponent(url) && url;
	} catch {
		return url.replaceAll('%', '%25');
	}
}

/** Makes clients leave: a connection closes after its response, so the client's next request opens another. */
function closeConnectionsWhileStopping(app: FastifyInstance, stopping: AbortSignal): void {
	app.addHook('onRequest', (_request, reply, done) => {
		if (stopping.aborted) reply.header('connection', 'close');
		done();
	});
}

/**
 * Refuses requests that still arrive on used connections once the server closes, so another can take them. The first
 * request of a connection gets a response: its client could not know.
 */
function refuseWhileClosing(app: FastifyInstance): void {
	let isClosing = false;
	const used = new WeakSet<Socket>();
	app.addHook('preClose', (done) => {
		isClosing = true;
		done();
	});
	app.addHook('onRequest', (request, reply, done) => {
		const { socket } = request.raw;
		if (isClosing && used.has(socket)) sendStopping(request, reply);
		else done();
		used.add(socket);
	});
}

/** JSON is the only content type; an empty body counts as none, whatever its type. */
function acceptOnlyJson(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
		const text = withoutLoneSurrogates(body as string);
		if (text === '') {
			done(null, undefined);
			return;
		}
		void parseJson(request, text, (error, value) => {
			if (error) done(error);
			// After the parser, null means that there is no body.
			else if (value === null)
				done(invalidRequest([{ path: '', message: 'must be an object, not null' }]));
			else done(null, value);
		});
	});
}

/** One JSON escape: a surrogate pair, a lone surrogate, or the beginning of any other. */
const ESCAPE =
	/\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;

const LONE_SURROGATE_LENGTH = '\\ud83d'.length;

/**
 * Replaces each half of a character, such as a workflow's `slice()` leaves of an emoji, with U+FFFD. Strict
 * parsers, such as Swift's, would reject the whole JSON text over one such escape.
 */
function withoutLoneSurrogates(json: string): string {
	if (!/\\u[dD][89a-fA-F]/.test(json)) return json;
	return json.replace(ESCAPE, (escape) =>
		escape.length === LONE_SURROGATE_LENGTH ? '\\ufffd' : escape,
	);
}

const FORWARDED_FOR = 'x-forwarded-for';

/** `192.0.2.1:443` or `[2001:db8::1]:443`, as some proxies write them, or brackets without a port. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>[^:]+):\d+)$/;

/**
 * Strips the ports from the addresses in X-Forwarded-For. Drops anything that is not an address, along with all
 * entries before it: the proxy that wrote it then counts as the client.
 */
function keepOnlyAddresses(app: FastifyInstance): void {
	app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
		const forwarded = headers[FORWARDED_FOR];
		if (forwarded !== undefined)
			headers[FORWARDED_FOR] = readAddresses(String(forwarded)).join(', ');
		done();
	});
}

function readAddresses(forwarded: string): string[] {
	const addresses = forwarded.split(',').map((entry) => withoutPort(entry.trim()));
	return addresses.slice(addresses.findLastIndex((address) => isIP(address) === 0) + 1);
}

function withoutPort(entry: string): string {
	const { v6, v4 } = WITH_PORT.exec(entry)?.groups ?? {};
	return v6 ?? v4 ?? entry;
}
