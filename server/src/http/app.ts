import { compile } from '@fastify/proxy-addr';
import {
	fastify,
	type FastifyBaseLogger,
	type FastifyInstance,
	type FastifyRequest,
} from 'fastify';
import type { Context } from '../service/context.ts';
import { invalidRequest, Refusal } from '../service/refusal.ts';
import { boundConnections, closeWithoutWaiting } from './connections.ts';
import { registerConsoleApi } from './console-api/index.ts';
import { registerDeviceApi } from './device-api/index.ts';
import {
	answerClientError,
	answerError,
	answerExpectation,
	answerNotFound,
	answerStopping,
} from './errors.ts';
import { believeOnlyAddresses } from './forwarded.ts';
import { registerHealth } from './health.ts';
import { registerPages } from './pages.ts';
import { registerPublicApi } from './public-api/index.ts';
import { RateLimiter, type RateLimitSettings } from './rate-limit.ts';
import { REQUEST_ID_HEADER, requestIds } from './request-ids.ts';
import { RequestLog } from './request-log.ts';
import { typed } from './typed-app.ts';
import { requestValidator } from './validation.ts';

/** Largest request body in bytes (docs/api-decisions.md "Requests"). */
const BODY_LIMIT = 64 * 1024;

/** How long a client may take to send a whole request, so that slow ones cannot hold connections. */
const REQUEST_TIMEOUT_MS = 20_000;

/** How long it may take to send the head of it. */
const HEADERS_TIMEOUT_MS = 10_000;

/** How often Node looks for those that took longer. */
const TIMEOUT_CHECK_MS = 1_000;

const NO_HOST = 'The request lacks the header Host.';

/** RFC 9112 section 3.2. */
function lacksHost({ headers, raw }: FastifyRequest): boolean {
	return headers.host === undefined && raw.httpVersion === '1.1';
}

/** As long as Node reads a request line: every key reaches the rule that refuses or takes it. */
const LONGEST_PATH_PARAMETER = 16 * 1_024;

export interface AppOptions {
	context: Context;
	logger: FastifyBaseLogger | false;
	/** Proxies whose X-Forwarded-For is believed: addresses and CIDR ranges. */
	trustedProxies: readonly string[];
	rateLimits: RateLimitSettings;
	/** Folder with the built pages; undefined: the server has none. */
	webRoot: string | undefined;
	/** Where people reach the server, where the settings say so. */
	publicUrl: string | undefined;
	/** Told of every answer, by the template of its route; undefined: nobody measures. */
	onAnswer?: ((answer: MeasuredAnswer) => void) | undefined;
}

interface MeasuredAnswer {
	method: string;
	/** Such as `/api/metrics/:key/value`; undefined: there is no such route. */
	route: string | undefined;
	status: number;
	/** From the request's arrival until the answer had left. */
	milliseconds: number;
}

export type App = FastifyInstance;

/** The whole HTTP side, ready to listen or to be injected into. */
export async function buildApp({
	context,
	logger,
	trustedProxies,
	rateLimits,
	webRoot,
	publicUrl,
	onAnswer,
}: AppOptions): Promise<App> {
	const isTrusted = trustedProxies.length > 0 ? compile([...trustedProxies]) : undefined;
	const app: FastifyInstance = fastify({
		...(logger ? { loggerInstance: logger } : { logger: false }),
		logController: new RequestLog(),
		genReqId: requestIds(isTrusted),
		bodyLimit: BODY_LIMIT,
		trustProxy: isTrusted ?? false,
		rewriteUrl: (request) => decodablePath(request.url ?? '/'),
		routerOptions: { maxParamLength: LONGEST_PATH_PARAMETER },
		frameworkErrors: answerError,
		clientErrorHandler: answerClientError,
		// Requests under way are answered; event streams end themselves when the server closes.
		forceCloseConnections: 'idle',
		return503OnClosing: false,
		requestTimeout: REQUEST_TIMEOUT_MS,
		// Node would answer these without words.
		http: {
			requireHostHeader: false,
			headersTimeout: HEADERS_TIMEOUT_MS,
			connectionsCheckingInterval: TIMEOUT_CHECK_MS,
		},
	});
	app.server.on('checkExpectation', answerExpectation);

	boundConnections(app, isTrusted && ((address) => isTrusted(address, 0)));
	closeWithoutWaiting(app);
	acceptOnlyJson(app);
	app.setValidatorCompiler(requestValidator);
	// Answers are made from typed values; the tests hold them against the published schemas.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.setErrorHandler(answerError);
	app.setNotFoundHandler(answerNotFound);
	if (isTrusted) believeOnlyAddresses(app);
	app.addHook('onRequest', (request, reply, done) => {
		reply.header('x-content-type-options', 'nosniff').header(REQUEST_ID_HEADER, request.id);
		done(lacksHost(request) ? new Refusal('invalid', 'Bad Request', NO_HOST) : undefined);
	});
	refuseWhileStopping(app);
	// Before the body is read: it cannot be too large, or of a wrong type, for nothing.
	app.addHook('onRequest', (request, reply, done) => {
		if (request.is404) answerNotFound(request, reply);
		else done();
	});
	if (onAnswer) {
		app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
			onAnswer({
				method,
				route: routeOptions.url,
				status: reply.statusCode,
				milliseconds: reply.elapsedTime,
			});
			done();
		});
	}
	app.addHook('onClose', () => context.requests.flush());
	app.addHook('onClose', () => context.lastUsed.settle());

	registerHealth(app, context);
	const limiter = new RateLimiter(
		rateLimits.windowSeconds,
		context.database.rateWindows,
		context.now,
	);
	await app.register((api) => registerPublicApi(typed(api), context, limiter, rateLimits), {
		prefix: '/api',
	});
	await app.register((api) => registerDeviceApi(typed(api), context, rateLimits), {
		prefix: '/device',
	});
	await app.register(
		(api) => registerConsoleApi(typed(api), { context, limiter, rateLimits, publicUrl }),
		{ prefix: '/console/api' },
	);
	if (webRoot !== undefined) await app.register((pages) => registerPages(pages, webRoot));
	return app;
}

/**
 * A path with broken percent-encoding, made decodable: so it reaches its route, where it is
 * authenticated, counted and refused by the rule of its parameter like any other wrong key.
 */
function decodablePath(url: string): string {
	return isDecodable(url) ? url : url.replaceAll('%', '%25');
}

function isDecodable(url: string): boolean {
	try {
		// Its value is used: a bundler takes the function for pure, and drops a call made for the error alone.
		return decodeURIComponent(url) !== '';
	} catch {
		return false;
	}
}

/** What still arrives on open connections once the server was told to stop, where others may take it. */
function refuseWhileStopping(app: FastifyInstance): void {
	let isStopping = false;
	app.addHook('preClose', (done) => {
		isStopping = true;
		done();
	});
	app.addHook('onRequest', (request, reply, done) => {
		if (isStopping) answerStopping(request, reply);
		else done();
	});
}

/** JSON is the only content type; an empty body counts as none, whatever its type says. */
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
			if (error) done(isJson(text) ? new SyntaxError('forbidden property name') : error);
			// Behind the parser null means that there is no body.
			else if (value === null)
				done(invalidRequest([{ path: '', message: 'must be an object, not null' }]));
			else done(null, value);
		});
	});
}

/** One escape of JSON: a surrogate pair, a lone surrogate, or the beginning of any other. */
const ESCAPE =
	/\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;

const LONE_SURROGATE_LENGTH = '\\ud83d'.length;

/**
 * With U+FFFD for each half of a character, such as a workflow's `slice()` makes of an emoji: strict
 * parsers, Swift's among them, refuse JSON that escapes one, and with it all that stands beside it.
 */
function withoutLoneSurrogates(json: string): string {
	if (!/\\u[dD][89a-fA-F]/.test(json)) return json;
	return json.replace(ESCAPE, (escape) =>
		escape.length === LONE_SURROGATE_LENGTH ? '\\ufffd' : escape,
	);
}

/** The parser refuses property names such as __proto__ in what is valid JSON with the same error. */
function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
