import { z } from 'zod';
import type { Call } from '../../../src/contract/calls.ts';
import { playgroundRequest } from '../../../src/contract/console/playground.ts';
import { PUBLIC_CALLS } from '../../../src/contract/public-calls.ts';
import { questionRequest } from '../../../src/contract/questions.ts';
import { TOOLS } from '../../../src/http/mcp/tools.ts';
import { oddValue } from './odd-values.ts';
import type { Random } from './random.ts';
import { idsOf, jsonSchemaOf, type Known, type Schema, uuid, Values } from './values.ts';
import type { Route } from '../../support/routes.ts';
import type { Credentials } from './world.ts';

/** Longer bodies than the server takes, but short enough to keep memory out of the test. */
const MAX_BYTES = 256 * 1_024;

export interface FuzzRequest {
	route: Route;
	method: string;
	path: string;
	headers: Record<string, string>;
	body: Buffer | undefined;
	/** True if its credentials are those of its route, unless another request has ended them. */
	isEntitled: boolean;
}

interface Target {
	route: Route;
	body: Schema | undefined;
	query: Schema | undefined;
}

const ntfyMessage = z.object({
	topic: z.literal('ops'),
	message: z.string(),
	priority: z.int().min(1).max(5).optional(),
	tags: z.array(z.string()).optional(),
	click: z.url().optional(),
});

const questionTitle = z.literal('Go?');

/** Many rules of a question depend on several fields: few random ones are asked. */
const question = z.union([
	questionRequest,
	z.object({
		title: questionTitle,
		choices: z.array(z.object({ id: z.literal('yes'), title: questionTitle })).length(1),
	}),
	z.object({ title: questionTitle, text: z.object({ multiline: z.boolean() }) }),
	z.object({
		title: questionTitle,
		link: z.object({ title: questionTitle, url: z.literal('https://127.0.0.1:1/form') }),
	}),
]);

const mcpMessage = (method: string, params: z.ZodType) =>
	z.object({ jsonrpc: z.literal('2.0'), id: z.int(), method: z.literal(method), params });

function fieldsOf(schema: z.ZodType | undefined): z.ZodRawShape {
	const object = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
	return object instanceof z.ZodObject ? object.shape : {};
}

/** Without the tools that wait for a person. The arguments follow the rules of the calls: tools show few of them. */
const mcpMessages = z.union([
	mcpMessage('tools/list', z.object({})),
	...TOOLS.filter(({ waits }) => !waits).map(({ name, call }) => {
		const { params, body, query }: Call = PUBLIC_CALLS[call];
		const fields = { ...fieldsOf(params), ...fieldsOf(body), ...fieldsOf(query) };
		return mcpMessage(
			'tools/call',
			z.object({ name: z.literal(name), arguments: z.object(fields) }),
		);
	}),
]);

/** Bodies that the handler itself reads, or whose rules are more than a schema can say. */
const BODIES: Record<string, Schema> = {
	'/console/api/playground/preview': jsonSchemaOf(playgroundRequest),
	'/console/api/playground/send': jsonSchemaOf(playgroundRequest),
	'/api/questions': jsonSchemaOf(question),
	'/mcp': jsonSchemaOf(mcpMessages),
	'/': jsonSchemaOf(ntfyMessage),
	'/ntfy': jsonSchemaOf(ntfyMessage),
};

/** Their bodies are pictures: these bytes of a GIF suffice. */
const PICTURES = new Set(['/api/images', '/console/api/playground/image']);
const PICTURE = Buffer.from('GIF89a\x01\x00', 'latin1');

/** Other programs send here, with a key of their own. */
const SENDERS = /^\/(ntfy|gotify|alertmanager|grafana|$)/;

/** These end their own credentials: too often, and nothing else gets through. */
const ENDINGS = new Set(['POST /console/api/logout', 'DELETE /device/', 'DELETE /device']);

/** Hashing a password is expensive by design: the few attempts of one address must suffice. */
const ENTRANCES = new Set([
	'/console/api/login',
	'/console/api/join',
	'/console/api/link',
	'/device/pair',
]);

/** The share of requests for routes where none has succeeded. */
const EXTRA = 0.05;

const SHORT_WAITS = [0, 0, 1, -1, 1e9, '', 'x', null];

const OTHER_METHODS = [
	'GET',
	'HEAD',
	'POST',
	'PUT',
	'DELETE',
	'PATCH',
	'OPTIONS',
	'TRACE',
	'PROPFIND',
];

const ODD_PARAMETERS = [
	'%',
	'%2',
	'%ff',
	'%00',
	'%2F',
	'%2e%2e%2fetc',
	'..',
	'.',
	'%F0%9F%9A%80',
	'a%20b',
	'x'.repeat(64),
	'x'.repeat(256),
	'x'.repeat(5_000),
	'__proto__',
	'constructor',
	"'",
	'%22',
	'null',
	'-1',
	'1e9',
	';a=b',
	'*',
	'%25',
	'A',
	'-a',
];

const CONTENT_TYPES = [
	'application/json; charset=utf-8',
	'application/json;charset=latin1',
	'text/plain',
	'application/x-www-form-urlencoded',
	'multipart/form-data; boundary=x',
	'application/xml',
	'application/problem+json',
	'',
	';',
	'application/json, text/html',
];

const ODD_HEADERS: ReadonlyArray<[string, string]> = [
	['idempotency-key', '"one of few keys"'],
	['idempotency-key', 'bare'],
	['x-sequence-id', 'one-of-few'],
	['x-sequence-id', 'not one'],
	['idempotency-key', '""'],
	['idempotency-key', '"a", "b"'],
	['idempotency-key', '"\\"'],
	['idempotency-key', `"${'x'.repeat(256)}"`],
	['expect', '100-continue'],
	['content-encoding', 'gzip'],
	['accept', 'text/html'],
	['accept-encoding', 'br;q=1, *;q=0'],
	['range', 'bytes=0-1'],
	['if-none-match', '*'],
	['if-modified-since', 'yesterday'],
	['origin', 'https://evil.example'],
	['sec-fetch-site', 'cross-site'],
	['x-request-id', 'a"b'],
	['x-forwarded-for', 'unknown'],
	['x-forwarded-for', '::ffff:1.2.3.4, junk'],
	['x-forwarded-proto', 'https'],
	['x-forwarded-host', 'evil.example'],
	['x-http-method-override', 'DELETE'],
	['last-event-id', '1e999'],
	['last-event-id', '-1'],
	['last-event-id', '99999999999999999999'],
	['cookie', 'beckon_session=%00; a=%'],
	['cookie', `beckon_session=${'x'.repeat(4_000)}`],
	['accept-version', '2.x'],
	['upgrade', 'websocket'],
	['te', 'trailers'],
	['access-control-request-method', 'POST'],
	['x-long', 'x'.repeat(6_000)],
	['authorization', 'Bearer'],
	['authorization', 'Basic YTpi'],
	['authorization', `Bearer ${'x'.repeat(5_000)}`],
	['authorization', 'Bearer ünï'],
	['authorization', 'bearer \t x'],
];

/** A route's weight among the others: pages and documents are long, and take nothing. */
function weightOf({ method, url }: Route): number {
	if (ENDINGS.has(`${method} ${url}`)) return 0.02;
	return method === 'HEAD' || /docs|openapi|\*$/.test(url) ? 0.15 : 1;
}

/** Makes requests for every route: right ones, and others wrong in one thing or in everything. */
export class Requests {
	readonly #targets: Target[];
	readonly #known: Known;
	readonly #credentials: Credentials;
	readonly #isDone: (route: Route) => boolean;

	/** @param isDone whether a request for the route has succeeded */
	constructor(
		routes: readonly Route[],
		known: Known,
		credentials: Credentials,
		isDone: (route: Route) => boolean,
	) {
		this.#targets = routes.map((route) => ({
			route,
			body: BODIES[route.url] ?? (route.body && jsonSchemaOf(route.body)),
			query: route.query && jsonSchemaOf(route.query),
		}));
		this.#known = known;
		this.#credentials = credentials;
		this.#isDone = isDone;
	}

	make(random: Random): FuzzRequest {
		for (;;) {
			const request = this.#makeOne(random);
			if ((request.body?.length ?? 0) <= MAX_BYTES) return request;
		}
	}

	#makeOne(random: Random): FuzzRequest {
		const { route, body, query } = this.#target(random);
		const values = new Values(random, this.#known);
		const method = random.chance(0.03) ? random.pick(OTHER_METHODS) : route.method;
		const headers: Record<string, string> = { host: 'localhost' };
		const isEntitled = random.chance(0.9);
		Object.assign(headers, isEntitled ? this.#rightFor(route, random) : this.#wrong(random));
		if (!ENTRANCES.has(route.url)) headers['x-forwarded-for'] = `203.0.113.${random.whole(0, 255)}`;
		const isPicture = PICTURES.has(route.url) && random.chance(0.5);
		const content = isPicture ? PICTURE : this.#body(body, values, random);
		if (content !== undefined) {
			const right = isPicture ? 'image/gif' : 'application/json';
			headers['content-type'] = random.chance(0.95) ? right : random.pick(CONTENT_TYPES);
		}
		if (random.chance(0.1)) {
			const [name, value] = random.pick(ODD_HEADERS);
			headers[name] = value;
		}
		return {
			route,
			method,
			path: this.#path(route, query, values, random),
			headers,
			body: content,
			isEntitled,
		};
	}

	#path(route: Route, query: Schema | undefined, values: Values, random: Random): string {
		const path = route.url
			.replaceAll(/(?<=(\w+)\/):(\w+)/g, (_all, collection: string, name: string) =>
				this.#parameter(collection, name, random),
			)
			.replace('*', () =>
				random.pick(['', 'index.html', 'assets/', '../secret', '%2e%2e/%2e%2e/etc/passwd', 'x']),
			);
		const pairs: Array<[string, unknown]> = query
			? Object.entries(values.of(query) as object).map(([name, value]) => [
					name,
					// Others would wait for a minute.
					name === 'wait'
						? random.pick(SHORT_WAITS)
						: random.chance(0.3)
							? oddValue(random)
							: value,
				])
			: [];
		if (random.chance(0.05)) pairs.push(['surprise', oddValue(random)], ['__proto__', 'x']);
		if (pairs.length === 0) return path;
		const text = (value: unknown) =>
			encodeURIComponent(textOf(value).toWellFormed().slice(0, 2_000));
		return `${path}?${pairs.map(([name, value]) => `${text(name)}=${text(value)}`).join('&')}`;
	}

	#parameter(collection: string, name: string, random: Random): string {
		if (random.chance(0.15)) return random.pick(ODD_PARAMETERS);
		const own = name === 'id' ? this.#known.pick(idsOf(collection), random) : undefined;
		const known = own !== undefined && random.chance(0.8) ? own : this.#known.pick(name, random);
		if (known !== undefined && random.chance(0.7)) return encodeURIComponent(textOf(known));
		return random.pick(['a', 'ops', 'cpu', 'deploy', 'k_1-2', uuid(random)]);
	}

	#target(random: Random): Target {
		// Some succeed only where much comes together: the right phone, button and time.
		if (random.chance(EXTRA)) {
			const missing = this.#targets.filter(({ route }) => !this.#isDone(route));
			if (missing.length > 0) return random.pick(missing);
		}
		for (;;) {
			const target = random.pick(this.#targets);
			if (random.chance(weightOf(target.route))) return target;
		}
	}

	#rightFor({ url }: Route, random: Random): Record<string, string> {
		const { key, senderKey, phones, session } = this.#credentials;
		if (SENDERS.test(url)) return { authorization: `Bearer ${senderKey}` };
		if (url === '/mcp') {
			const accept = 'application/json, text/event-stream';
			return { authorization: `Bearer ${key}`, accept };
		}
		if (url.startsWith('/api')) return { authorization: `Bearer ${key}` };
		if (url.startsWith('/device')) return { authorization: `Bearer ${random.pick(phones)}` };
		return { cookie: session.cookie, 'x-csrf-token': session.csrf };
	}

	/** Missing credentials, wrong ones, or somebody else's. */
	#wrong(random: Random): Record<string, string> {
		const { key, senderKey, phones, session } = this.#credentials;
		return random.pick<Record<string, string>>([
			{},
			{ authorization: `Bearer ${key}` },
			{ authorization: `Bearer ${senderKey}` },
			{ authorization: `Bearer ${random.pick(phones)}` },
			{ cookie: session.cookie, 'x-csrf-token': session.csrf },
			{ authorization: `Bearer ${key}x` },
			{ authorization: `Bearer bd_${'x'.repeat(43)}` },
			{ cookie: session.cookie },
			{ cookie: `${session.cookie}x`, 'x-csrf-token': session.csrf },
		]);
	}

	#body(schema: Schema | undefined, values: Values, random: Random): Buffer | undefined {
		if (!schema && random.chance(0.9)) return undefined;
		if (schema && random.chance(0.02)) return undefined;
		let value = schema ? values.of(schema) : oddValue(random);
		const changes = random.pick([0, 0, 0, 1, 1, 1, 2, 5]);
		for (let change = 0; change < changes; change += 1) value = values.changed(value);
		const text = JSON.stringify(value) as string | undefined;
		if (text === undefined) return undefined;
		return random.chance(0.1) ? brokenJson(text, random) : Buffer.from(text);
	}
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function brokenJson(text: string, random: Random): Buffer {
	const bytes = Buffer.from(text);
	const at = random.whole(0, bytes.length);
	const insert = (...inside: number[]) =>
		Buffer.concat([bytes.subarray(0, at), Buffer.from(inside), bytes.subarray(at)]);
	switch (random.whole(0, 9)) {
		case 0:
			return bytes.subarray(0, at);
		case 1:
			return insert(random.whole(0, 255));
		case 2:
			return insert(0xff, 0xfe, 0xc0, 0x80);
		case 3:
			return Buffer.from(
				text.replace(
					/-?\d+(\.\d+)?/,
					random.pick(['1e999', '-1e400', '0x10', '01', '1.', '9'.repeat(400), '-']),
				),
			);
		case 4:
			return Buffer.from(
				text.replace('{', '{"title":1,"badge":2,"title":"b","__proto__":{"a":1},'),
			);
		case 5:
			return Buffer.from(`\ufeff${text}`);
		case 6:
			return Buffer.from('['.repeat(random.pick([10, 5_000, 60_000])));
		case 7:
			return Buffer.from(`${' '.repeat(random.pick([10, 65_000, 70_000]))}${text}`);
		case 8:
			return Buffer.from(text.replaceAll('"', random.pick(["'", '', '\u201c'])));
		default:
			return Buffer.from(`${text}${text}`);
	}
}

/** The most the server reads of a body; it may hang up while the rest of a longer one is sent. */
export const READ_BYTES = 64 * 1_024;

export function bytesOf({ method, path, headers, body }: FuzzRequest): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
	const head = Buffer.from(
		`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n`,
		'latin1',
	);
	return body === undefined ? head : Buffer.concat([head, body]);
}
