import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { ajvOf, type OpenApi, readOpenApi } from '../support/openapi.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const OPERATIONS = [
	['post', '/badge', [200, 400, 403, 422, 429, 502]],
	['post', '/push-notification', [200, 400, 402, 403, 422, 429]],
	['put', '/live-activity/stream/{stream_key}', [200, 400, 402, 403, 422, 429]],
	['delete', '/live-activity/stream/{stream_key}', [200, 400, 404, 429]],
	['post', '/live-activity/start', [200, 400, 402, 403, 422, 429]],
	['post', '/live-activity/update', [200, 403, 429]],
	['post', '/live-activity/end', [200, 403, 429]],
	['post', '/metrics/{key}/value', [200, 400, 404, 429]],
	// Beckon's additions.
	['post', '/push-notification/repeated', [200, 400, 402, 403, 422, 429]],
	['delete', '/push-notification/repeated/{repeat_id}', [200, 400, 403, 404, 429]],
	['post', '/questions', [200, 400, 402, 403, 422, 429]],
	['get', '/questions', [200, 400, 429]],
	['get', '/questions/{question_id}', [200, 400, 404, 429]],
	['post', '/questions/{question_id}/answer', [200, 400, 403, 404, 409, 429]],
	['delete', '/questions/{question_id}', [200, 400, 404, 429]],
	['put', '/triggers/{trigger_id}', [200, 400, 403, 404, 429]],
	['get', '/triggers/{trigger_id}/taps', [200, 400, 404, 409, 429]],
	['post', '/triggers/{trigger_id}/done', [200, 400, 404, 429]],
	['post', '/images', [200, 400, 409, 429]],
	['get', '/channels', [200, 400, 429]],
	['get', '/phones', [200, 400, 429]],
	['get', '/people', [200, 400, 403, 429]],
	['get', '/metrics', [200, 400, 429]],
	['get', '/live-activity/streams', [200, 400, 429]],
	['get', '/triggers', [200, 400, 429]],
] as const;

/** The queries of what is not a list of all. */
const QUERIES: Record<string, string[]> = {
	'/questions': ['status', 'after', 'limit'],
	'/questions/{question_id}': ['wait'],
	'/triggers/{trigger_id}/taps': ['session', 'test', 'wait', 'after', 'limit'],
};

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function refsIn(node: unknown): string[] {
	if (typeof node !== 'object' || node === null) return [];
	return Object.entries(node).flatMap(([key, value]) =>
		key === '$ref' ? [String(value)] : refsIn(value),
	);
}

/** Paths of schema properties without a description, on the field or its type. */
function undescribedIn(document: OpenApi, node: any, path = ''): string[] {
	const { schema, description } = resolved(document, node);
	const items = schema.items ? [schema.items] : [];
	const inside = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...items];
	return [
		...(path !== '' && !description ? [path] : []),
		...inside.flatMap((part) =>
			undescribedIn(document, part, '').map((inner) => `${path}.${inner}`),
		),
		...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
			undescribedIn(document, field, `${path}${path && '.'}${name}`),
		),
	];
}

function resolved(document: OpenApi, node: any): { schema: any; description?: string } {
	if (!node.$ref) return { schema: node, description: node.description };
	const schema = document.components.schemas[node.$ref.split('/').at(-1)];
	return { schema, description: node.description ?? schema.description };
}

const takesKey = ({ parameters = [] }: any): boolean =>
	parameters.some(({ name }: any) => name === 'Idempotency-Key');

/** The request's body, if it has one of JSON. */
const bodiesOf = ({ requestBody }: any): any[] =>
	requestBody?.content['application/json'] ? [requestBody] : [];

/** The operations that make or change a history entry. */
const SENDING = new Set([
	'sendPushNotification',
	'sendRepeatedPushNotification',
	'stopRepeatedPushNotification',
	'askQuestion',
	'updateAppIconBadgeCount',
	'reconcileLiveActivityStream',
	'endLiveActivityStream',
	'startLiveActivity',
	'updateLiveActivity',
	'endLiveActivity',
]);

describe('GET /api/openapi.json', () => {
	let server: TestServer;
	let document: OpenApi & Record<string, any>;
	beforeAll(async () => {
		server = await startTestServer();
		document = await readOpenApi(server.app);
	});
	afterAll(() => server.close());

	const operations = () =>
		Object.entries(document.paths).flatMap(([path, item]) =>
			Object.entries(item)
				.filter(([method]) => METHODS.includes(method))
				.map(([method, operation]) => ({ method, path, operation })),
		);

	it('is there for anyone, as JSON, and counts toward no limit', async () => {
		const { status, headers } = await server.call('GET', '/openapi.json', undefined, { key: null });
		expect(status).toBe(200);
		expect(String(headers['content-type'])).toMatch(/^application\/json/);
		expect(headers['ratelimit']).toBeUndefined();
	});

	it('is OpenAPI 3.1, of the interface version 1.0.0, for the base URL that ends in /api', () => {
		expect(document.openapi).toMatch(/^3\.1\.\d+$/);
		expect(document['info']).toMatchObject({ title: expect.any(String), version: '1.0.0' });
		expect(document['servers']).toEqual([{ url: '/api' }]);
	});

	it('has the eight operations of the service text and the additions, each named once', () => {
		expect(
			operations()
				.map(({ method, path }) => `${method} ${path}`)
				.sort(),
		).toEqual(OPERATIONS.map(([method, path]) => `${method} ${path}`).sort());
		expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(
			OPERATIONS.length,
		);
	});

	it.each(OPERATIONS)(
		'lists the answers of the service text for %s %s',
		(method, path, statuses) => {
			const listed = Object.keys(document.paths[path]?.[method].responses).map(Number);
			expect(listed).toEqual(expect.arrayContaining([...statuses, 401, 413, 415]));
		},
	);

	it('describes every answer, with a schema in JSON', () => {
		for (const { operation } of operations()) {
			for (const [status, answer] of Object.entries<any>(operation.responses)) {
				expect(status).toMatch(/^[1-5]\d\d$/);
				expect(typeof answer.description).toBe('string');
				expect(Object.keys(answer.content)).toEqual(['application/json']);
				expect(answer.content['application/json'].schema).toBeDefined();
			}
		}
	});

	it('declares the parameters of every path, required, and no query but that of a list', () => {
		for (const { method, path, operation } of operations()) {
			const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
			const declared = operation.parameters ?? [];
			const names = (place: string) =>
				declared.filter((parameter: any) => parameter.in === place).map(({ name }: any) => name);
			expect(names('path')).toEqual(inPath);
			const ofGet = QUERIES[path] ?? ['after', 'limit'];
			expect(names('query')).toEqual(method === 'get' ? ofGet : []);
			for (const parameter of declared)
				expect(parameter.required ?? false).toBe(parameter.in === 'path');
		}
	});

	it('requires a JSON body everywhere but to end a stream, and takes none for a list', () => {
		for (const { method, operation } of operations()) {
			if (operation.operationId === 'storeImage') {
				expect(Object.keys(operation.requestBody.content)).toContain('image/png');
				continue;
			}
			if (method === 'get') {
				expect(operation.requestBody).toBeUndefined();
				continue;
			}
			expect(Object.keys(operation.requestBody.content)).toEqual(['application/json']);
			expect(operation.requestBody.required ?? false).toBe(method !== 'delete');
		}
	});

	it('asks for a bearer key on every operation', () => {
		for (const { operation } of operations()) {
			const [[name]] = operation.security.map(Object.keys) as [[string]];
			expect(document.components['securitySchemes' as 'schemas'][name]).toMatchObject({
				type: 'http',
				scheme: 'bearer',
			});
		}
	});

	it('refers to nothing missing, and holds nothing unused', () => {
		const there = (['schemas', 'headers'] as const).flatMap((kind) =>
			Object.keys((document.components as Record<string, any>)[kind]).map(
				(name) => `#/components/${kind}/${name}`,
			),
		);
		expect([...new Set(refsIn(document))].sort()).toEqual(there.sort());
	});

	it('has only schemas that are valid by JSON Schema 2020-12', () => {
		const ajv = ajvOf(document);
		for (const [name, schema] of Object.entries(document.components.schemas)) {
			expect([name, ajv.validateSchema(schema), ajv.errors]).toEqual([name, true, null]);
		}
		for (const { operation } of operations()) {
			for (const { content } of bodiesOf(operation))
				expect(ajv.validateSchema(content['application/json'].schema)).toBe(true);
		}
	});

	it('lets no request and no successful answer have further properties', () => {
		const resolve = (schema: any): any =>
			schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
		for (const { operation } of operations()) {
			for (const { content } of [...bodiesOf(operation), operation.responses['200']]) {
				expect(resolve(content['application/json'].schema)).toMatchObject({
					type: 'object',
					additionalProperties: false,
				});
			}
		}
	});

	it('describes every field of every request, and every parameter', () => {
		const undescribed = operations().flatMap(({ operation }) => [
			...bodiesOf(operation).flatMap(({ content }) =>
				undescribedIn(document, content['application/json'].schema),
			),
			...(operation.parameters ?? []).filter(({ description }: any) => !description),
		]);
		expect(undescribed).toEqual([]);
	});

	it('names the headers of every answer, and the ones that some answers have', () => {
		for (const { operation } of operations()) {
			for (const [status, { headers }] of Object.entries<any>(operation.responses)) {
				expect(Object.keys(headers).sort()).toEqual(
					[
						'RateLimit',
						'RateLimit-Policy',
						'X-Request-Id',
						...(status === '429' ? ['Retry-After'] : []),
						...(status === '401' ? ['WWW-Authenticate'] : []),
						...(status === '200' && takesKey(operation) ? ['Beckon-Idempotency'] : []),
						...(status === '200' && SENDING.has(operation.operationId)
							? ['Beckon-History-Id']
							: []),
					].sort(),
				);
			}
		}
	});

	it('promises no header that an answer lacks', async () => {
		const answers = [
			await server.call(
				'POST',
				'/push-notification',
				{ title: 'x' },
				{ headers: { 'idempotency-key': 'x' } },
			),
			await server.call('POST', '/push-notification', {}),
			await server.call('POST', '/push-notification', {}, { key: 'wrong' }),
		];
		const { responses } = document.paths['/push-notification']!['post'];
		for (const { status, headers } of answers) {
			const promised = Object.keys(responses[status].headers).map((name) => name.toLowerCase());
			expect(Object.keys(headers)).toEqual(expect.arrayContaining(promised));
		}
	});

	it('marks the old names of the badge counts as deprecated', () => {
		const { properties } = document.components.schemas['AppIconBadgeCountUpdateResponse'];
		expect(properties.devices_notified.deprecated).toBe(true);
		expect(properties.users_notified.deprecated).toBe(true);
		expect(properties.devices_updated.deprecated).toBeUndefined();
	});
});

describe('GET /api/docs', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
	});
	afterAll(() => server.close());

	it.each(['/api/docs', '/api/docs/'])(
		'is a page at %s that finds its styles and scripts',
		async (url) => {
			const page = await server.app.inject({ method: 'GET', url });
			expect(page.statusCode).toBe(200);
			expect(page.headers['content-type']).toMatch(/^text\/html/);
			const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
				([, link]) => new URL(link!, `http://localhost${url}`),
			);
			expect(links.length).toBeGreaterThan(3);
			for (const { pathname } of links) {
				expect([
					pathname,
					(await server.app.inject({ method: 'GET', url: pathname })).statusCode,
				]).toEqual([pathname, 200]);
			}
		},
	);

	it('allows no scripts from elsewhere, and does not turn http into https', async () => {
		const { headers } = await server.app.inject({ method: 'GET', url: '/api/docs/' });
		const policy = String(headers['content-security-policy']);
		expect(policy).toMatch(/script-src 'self' ?;/);
		expect(policy).not.toContain('upgrade-insecure-requests');
	});

	it('takes nothing from other hosts, and tells none of them its address', async () => {
		const { headers, body } = await server.app.inject({ method: 'GET', url: '/api/docs/' });
		const sources = String(headers['content-security-policy']).split(/[\s;]+/);
		const known = /^([a-z]+(-[a-z]+)*|'(self|none)'|data:|)$/;
		expect(sources.filter((source) => !known.test(source))).toEqual([]);
		const [, script] = /src="([^"]*swagger-initializer\.js)"/.exec(body) ?? [];
		const { pathname } = new URL(script!, 'http://localhost/api/docs/');
		const page = await server.app.inject({ method: 'GET', url: pathname });
		expect(page.body).toContain('"validatorUrl":null');
	});

	it('and its document are fetched by one client address within an allowance', async () => {
		leaveOutOfPacked('the address of a client');
		const limited = await startTestServer({ settings: { BECKON_RATE_PER_ADDRESS: '20' } });
		const get = (url: string, remoteAddress = '192.0.2.1') =>
			limited.app.inject({ url, remoteAddress });
		expect((await get('/api/openapi.json')).statusCode).toBe(200);
		expect((await get('/api/docs/static/swagger-ui-bundle.js')).statusCode).toBe(200);
		const refused = await get('/api/docs');
		expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
			429,
			'60',
			{
				error: 'Rate limit exceeded',
				message:
					'Too many requests for the API documentation from this address. Try again in 60 s.',
				code: 'rate_limited',
			},
		]);
		expect((await get('/api/docs', '192.0.2.2')).statusCode).toBe(200);
		await limited.close();
	});
});
