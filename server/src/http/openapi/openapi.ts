import { STATUS_CODES } from 'node:http';
import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';
import { IMAGE_BODIES } from '../../contract/images.ts';
import { HISTORY_HEADER, IDEMPOTENCY_HEADER } from '../../contract/push-headers.ts';
import { PUBLIC_CALLS, type PublicCall } from '../../contract/public-calls.ts';
import type { Feature } from '../../contract/values.ts';

const DESCRIPTION =
	'Sends what a workflow knows to the phones of an account: push notifications, the app icon badge, ' +
	'Live Activities and lock-screen metrics. Every response carries RateLimit, RateLimit-Policy and X-Request-Id headers.';

const KEY =
	'An API key of the account, created in the console. Its scope decides which phones it reaches; all keys of an account share its rate limits.';

/** Headers of every response, or of those with one status (docs/api-decisions.md "Rate limits"). */
const RESPONSE_HEADERS = {
	'RateLimit-Policy': {
		description:
			'The policies that apply, a list of structured fields (RFC 9651): the name of each, its quota q and its window w in seconds.',
		schema: { type: 'string' },
		example: '"public-api-ip:badges";q=600;w=60, "account:badges";q=60;w=60',
	},
	RateLimit: {
		description:
			'What is left of each policy: r requests, and t seconds until it resets. Without a valid API key, only the policy of the client address.',
		schema: { type: 'string' },
		example: '"public-api-ip:badges";r=599;t=60, "account:badges";r=59;t=60',
	},
	'X-Request-Id': {
		description: "Identifies the request in the server's log.",
		schema: { type: 'string' },
		example: '0f8b6f0e-6a53-4d0f-9d0c-3a1f6a5f5c1e',
	},
	'Retry-After': {
		description:
			'Seconds until every exhausted policy has reset. Not sent when the phones have no room for another Live Activity.',
		schema: { type: 'integer', minimum: 0 },
	},
	'WWW-Authenticate': {
		description: 'How to authenticate.',
		schema: { type: 'string', enum: ['Bearer'] },
	},
	[IDEMPOTENCY_HEADER]: {
		description:
			'How the server has used the Idempotency-Key of the request: "replayed" with the response of an earlier request, "new" otherwise. Sent if the request has a key; most errors carry it too.',
		schema: { type: 'string', enum: ['new', 'replayed'] },
	},
	[HISTORY_HEADER]: {
		description:
			'The id of the history entry that the request has made or changed, by which the console and `beckon-server history show` show what happened to it on each phone. Not sent if there is none, as for a stream that is paused.',
		schema: { type: 'string' },
		example: 'his_0mww5s6c5000d122f76a399d',
	},
} satisfies Record<string, OpenAPIV3_1.HeaderObject>;

const ONLY_WITH_STATUS: Partial<Record<string, string>> = {
	'Retry-After': '429',
	'WWW-Authenticate': '401',
	[IDEMPOTENCY_HEADER]: '200',
	[HISTORY_HEADER]: '200',
};

/** The allowances of requests that have a history entry. */
const SENDING: ReadonlySet<Feature> = new Set(['notifications', 'badges', 'live-activities']);

function toHeaders(status: string, { headers, feature }: PublicCall) {
	return Object.fromEntries(
		Object.keys(RESPONSE_HEADERS)
			.filter((name) => (ONLY_WITH_STATUS[name] ?? status) === status)
			.filter((name) => name !== IDEMPOTENCY_HEADER || headers !== undefined)
			.filter((name) => name !== HISTORY_HEADER || SENDING.has(feature))
			.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
	);
}

const toReference = (name: string) => `#/components/schemas/${name}`;

/** The contract's named schemas. Bodies and responses have one form: no response has a default. */
function namedSchemas(): Record<string, object> {
	const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'input', uri: toReference });
	const named = Object.entries(schemas).map(([name, schema]) => {
		const { $schema: _dialect, $id: _uri, id: _id, ...rules } = schema;
		return [name, rules] as const;
	});
	return Object.fromEntries(named);
}

/** A schema of a body or a response: a named one, or one of several. */
function toSchema(schema: z.ZodType): object {
	if (schema instanceof z.ZodUnion) return { anyOf: (schema.options as z.ZodType[]).map(toSchema) };
	return { $ref: toReference(schema.meta()?.id ?? '') };
}

const jsonOf = (schema: z.ZodType) => ({ 'application/json': { schema: toSchema(schema) } });

function toParameters(place: 'path' | 'query' | 'header', schema: z.ZodType | undefined) {
	if (!schema) return [];
	const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
	return Object.entries(properties).map(([name, property]) => {
		const { description, ...rules } = property as z.core.JSONSchema.BaseSchema;
		return { in: place, name, required: place === 'path', description, schema: rules };
	});
}

/** A body that may be null may also be absent. */
function toBody({ body, takesPicture }: PublicCall) {
	const pictures = Object.fromEntries(IMAGE_BODIES.map((type) => [type, { schema: {} }]));
	if (takesPicture) return { required: true, content: pictures };
	if (body instanceof z.ZodNullable)
		return { required: false, content: jsonOf(body.unwrap() as z.ZodType) };
	return body && { required: true, content: jsonOf(body) };
}

function toOperation(call: PublicCall): object {
	const { operationId, summary, tags, params, query, headers, response, errors } = call;
	const parameters = [
		...toParameters('path', params),
		...toParameters('query', query),
		...toParameters('header', headers),
	];
	const responses = Object.entries({ 200: response, ...errors }).map(([status, schema]) => {
		const description = STATUS_CODES[status] ?? status;
		const responseHeaders = toHeaders(status, call);
		return [status, { description, headers: responseHeaders, content: jsonOf(schema) }] as const;
	});
	return {
		operationId,
		summary,
		tags,
		requestBody: toBody(call),
		...(parameters.length > 0 && { parameters }),
		security: [{ apiKey: [] }],
		responses: Object.fromEntries(responses),
	};
}

/** The OpenAPI document of the public API. */
export function openApi(): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const [name, call] of Object.entries<PublicCall>(PUBLIC_CALLS)) {
		const [method = '', template = ''] = name.split(' ');
		const path = template.replace(/:(\w+)/, '{$1}');
		paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(call) };
	}
	return {
		openapi: '3.1.0',
		info: { title: 'Beckon', version: '1.0.0', description: DESCRIPTION, license: { name: 'MIT' } },
		servers: [{ url: '/api' }],
		paths,
		components: {
			headers: RESPONSE_HEADERS,
			securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: KEY } },
			schemas: namedSchemas(),
		},
	};
}
