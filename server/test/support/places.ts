import type { InjectOptions } from 'fastify';
import { jsonSchemaOf, type Schema } from '../fuzz/support/values.ts';
import type { Route } from './routes.ts';
import type { TestServer } from './server.ts';

/** A place in the requests of a route where a client puts a value of its own. */
export interface Place {
	/** Such as `POST /api/push-notification body.tags`. */
	name: string;
	/** What it is in. JSON takes any value, the others take texts. */
	kind: 'URL' | 'header' | 'text' | 'JSON';
	/** True if a parser of the server's own reads it, instead of a schema. */
	isParsed: boolean;
	/** The rules of the place: those of places alike are the same. */
	rules: string;
	/** A request that fits the route's schema, or nearly, except for this value. */
	requestWith: (value: unknown) => InjectOptions;
}

/** Headers that the server reads itself, on any route. */
const HEADERS = [
	'accept',
	'accept-encoding',
	'authorization',
	'content-type',
	'cookie',
	'idempotency-key',
	'if-none-match',
	'origin',
	'traceparent',
	'x-forwarded-for',
	'x-sequence-id',
];

function post(url: string, type: string, payload: string, headers = {}): InjectOptions {
	return { method: 'POST', url, payload, headers: { 'content-type': type, ...headers } };
}

const JSON_TYPE = 'application/json';

const PUSH = JSON.stringify({ title: 'a' });

const ALERTS = { groupKey: 'a', status: 'firing', alerts: [{ status: 'firing' }] };

const TOOL_CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

/** What the server reads with its own parsers: how a request has it, by its name. */
const PARSED: Record<Place['kind'], Record<string, (value: string) => InjectOptions>> = {
	URL: {
		'the path': (value) => ({ method: 'GET', url: `/${encodeURIComponent(value)}` }),
		'the query': (value) => ({ method: 'GET', url: `/api/channels?${encodeURI(value)}` }),
		"ntfy's query": (value) =>
			post(`/ntfy/ops?actions=${encodeURIComponent(value)}`, 'text/plain', 'a'),
	},
	header: {
		...Object.fromEntries(
			HEADERS.map((name) => [
				name,
				(value: string) => post('/api/push-notification', JSON_TYPE, PUSH, { [name]: value }),
			]),
		),
		...Object.fromEntries(
			['title', 'tags', 'actions'].map((name) => [
				`ntfy's ${name}`,
				(value: string) => post('/ntfy/ops', 'text/plain', 'a', { [name]: value }),
			]),
		),
		"ntfy's encoded title": (value) =>
			post('/ntfy/ops', 'text/plain', 'a', { title: `=?utf-8?q?${value}` }),
	},
	text: {
		'a body': (value) => post('/api/badge', JSON_TYPE, value),
		"ntfy's body": (value) => post('/ntfy/ops', 'text/plain', value),
		"gotify's form": (value) =>
			post('/gotify/message', 'application/x-www-form-urlencoded', `message=${value}`),
		"gotify's parts": (value) =>
			post('/gotify/message', 'multipart/form-data; boundary=x', `--x\r\n${value}`),
	},
	JSON: {
		"ntfy's tags": (value) => post('/ntfy', JSON_TYPE, `{"topic":"ops","tags":${value}}`),
		"ntfy's actions": (value) => post('/ntfy', JSON_TYPE, `{"topic":"ops","actions":${value}}`),
		'an argument of a tool': (value) => {
			const params = `{"name":"send_push","arguments":{"title":${value}}}`;
			return post(
				'/mcp',
				JSON_TYPE,
				JSON.stringify(TOOL_CALL).replace('}', `,"params":${params}}`),
			);
		},
		...Object.fromEntries(
			['alerts', 'groupLabels', 'externalURL'].map((name) => [
				`alertmanager's ${name}`,
				(value: string) =>
					post(
						'/alertmanager',
						JSON_TYPE,
						JSON.stringify({ ...ALERTS, [name]: JSON.parse(value) }),
					),
			]),
		),
	},
};

const parsedPlaces = Object.entries(PARSED).flatMap(([kind, places]) =>
	Object.entries(places).map(([name, request]): Place => ({
		name,
		kind: kind as Place['kind'],
		isParsed: true,
		rules: `${kind} ${name}`,
		requestWith: (value) => request(kind === 'JSON' ? JSON.stringify(value) : String(value)),
	})),
);

/** A value that fits the schema, or nearly. */
function sample(schema: Schema): unknown {
	if (schema.const !== undefined) return schema.const;
	if (schema.enum) return schema.enum[0];
	const variant = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0];
	if (variant) return sample(variant);
	if (schema.type === 'object') return filled(schema);
	if (schema.type === 'array') return schema.items ? [sample(schema.items)] : [];
	if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
	if (schema.type === 'boolean') return true;
	if (schema.format === 'uri') return 'https://example.com/';
	if (schema.format === 'date-time') return '2026-03-01T12:00:00Z';
	return 'a'.repeat(schema.minLength ?? 1);
}

/** An object of what is required, and of another value. */
function filled({ properties = {}, required = [] }: Schema, other: object = {}): object {
	const given = required.map((name) => [name, sample(properties[name] ?? {})]);
	return { ...Object.fromEntries(given), ...other };
}

/** The places in a value, each with its path, its rules, and the whole value that it makes. */
function* placesIn(
	schema: Schema,
	path: string,
	whole: (value: unknown) => unknown,
): Generator<{ path: string; rules: Schema; whole: (value: unknown) => unknown }> {
	const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
	if (variants) {
		for (const variant of variants) yield* placesIn(variant, path, whole);
		return;
	}
	yield { path, rules: schema, whole };
	for (const [name, inner] of Object.entries(schema.properties ?? {}))
		yield* placesIn(inner, `${path}.${name}`, (value) => whole(filled(schema, { [name]: value })));
	if (schema.items) yield* placesIn(schema.items, `${path}[]`, (value) => whole([value]));
	if (typeof schema.additionalProperties === 'object')
		yield* placesIn(schema.additionalProperties, `${path}.*`, (value) => whole({ a: value }));
}

/** The schema with what it refers to in place. */
function resolved(schema: Schema): Schema {
	const named = schema.$defs ?? {};
	return JSON.parse(JSON.stringify(schema), function inPlace(_key, value: unknown): unknown {
		const { $ref, ...rest } = Object(value) as Schema;
		if ($ref === undefined) return value;
		const found = named[$ref.slice('#/$defs/'.length)];
		return JSON.parse(JSON.stringify({ ...found, ...rest }), inPlace);
	}) as Schema;
}

/** The places of a route: in its path, its query and its body. */
function* placesOf({ method, url, body, query }: Route): Generator<Place> {
	const inPath = (value: string) => url.replace(/:\w+|\*/g, value);
	const request = { method: method as 'POST', url: inPath('a') };
	const at = (path: string) => ({ name: `${method} ${url} ${path}`, isParsed: false });
	if (inPath('') !== url)
		yield {
			...at('path'),
			kind: 'URL',
			rules: /[:*].*/.exec(url)?.[0] ?? '',
			requestWith: (value) => ({ ...request, url: inPath(encodeURIComponent(String(value))) }),
		};
	const { properties = {} } = query ? resolved(jsonSchemaOf(query)) : {};
	for (const [name, rules] of Object.entries(properties))
		yield {
			...at(`query.${name}`),
			kind: 'URL',
			rules: JSON.stringify(rules),
			requestWith: (value) => ({
				...request,
				url: `${request.url}?${name}=${encodeURIComponent(String(value))}`,
			}),
		};
	if (!body) return;
	const all = placesIn(resolved(jsonSchemaOf(body)), 'body', (value) => value);
	for (const { path, rules, whole } of all)
		yield {
			...at(path),
			kind: 'JSON',
			rules: `JSON ${JSON.stringify(rules)}`,
			requestWith: (value) => ({
				...request,
				payload: JSON.stringify(whole(value)),
				headers: { 'content-type': JSON_TYPE },
			}),
		};
}

/** Their answers stay open, or are those of another method. */
const LEFT_OUT = /^(GET .*\/(events|taps)|POST \/agent-hook|HEAD .*|OPTIONS .*)$/;

/** The places where clients of the server can put a value, one of those with the same rules. */
export function everyPlace(routes: readonly Route[]): Place[] {
	const answered = routes.filter(({ method, url }) => !LEFT_OUT.test(`${method} ${url}`));
	const places = [...answered.flatMap((route) => [...placesOf(route)]), ...parsedPlaces];
	return [...new Map(places.map((place) => [place.rules, place])).values()];
}

/** Sends requests with the credentials of their routes, each from another address. */
export async function entitled(server: TestServer, session: { cookie: string; csrf: string }) {
	const senderKey = await server.addSenderKey(['ops']);
	const tokens: Array<[RegExp, Record<string, string>]> = [
		[/^\/console\//, { cookie: session.cookie, 'x-csrf-token': session.csrf }],
		[/^\/device\//, { authorization: `Bearer ${server.phone.token}` }],
		[/^\/(api|mcp)\b/, { authorization: `Bearer ${server.account.key}` }],
		[/^/, { authorization: `Bearer ${senderKey}` }],
	];
	let sent = 0;
	return (request: InjectOptions) => {
		sent += 1;
		const [, credentials] = tokens.find(([path]) => path.test(request.url as string))!;
		return server.app.inject({
			...request,
			remoteAddress: `10.1.${(sent >> 8) & 255}.${sent & 255}`,
			headers: {
				accept: 'application/json, text/event-stream',
				...credentials,
				...request.headers,
			},
		});
	};
}
