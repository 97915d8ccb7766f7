import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { TypedApp } from '../app.ts';
import { tidyComponents } from './tidy-components.ts';

const DESCRIPTION =
	'Sends what a workflow knows to the phones of an account: push notifications, the app icon badge, ' +
	'Live Activities and lock-screen metrics. Every answer carries RateLimit and RateLimit-Policy headers.';

interface Operation {
	requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> };
	responses?: Record<string, { description: string }>;
}

/** A body that may be null is one that may be absent. */
function describeOptionalBody(operation: Operation): void {
	const { requestBody } = operation;
	const json = requestBody?.content['application/json'];
	const { anyOf } = (json?.schema ?? {}) as { anyOf?: Array<{ type?: string }> };
	const isNull = (schema: { type?: string }) => schema.type === 'null';
	if (!requestBody || !json || !anyOf?.some(isNull)) return;
	requestBody.required = false;
	json.schema = anyOf.find((schema) => !isNull(schema));
}

/** What the generator cannot know of an operation, put into its words. */
function finish<T extends Parameters<typeof tidyComponents>[0]>(document: T): T {
	const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>;
	for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
		describeOptionalBody(operation);
		for (const [status, response] of Object.entries(operation.responses ?? {})) {
			response.description = STATUS_CODES[status] ?? status;
		}
	}
	return tidyComponents(document);
}

/** GET /api/openapi.json, made from the contract, and GET /api/docs, a page of it to read. */
export async function registerOpenApi(app: TypedApp): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: 'Beckon',
				version: '1.0.0',
				description: DESCRIPTION,
				license: { name: 'MIT' },
			},
			servers: [{ url: '/api' }],
			components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
		},
		stripBasePath: true,
		hideUntagged: true,
		transform: jsonSchemaTransform,
		transformObject: (document) =>
			'openapiObject' in document
				? finish(jsonSchemaTransformObject(document))
				: document.swaggerObject,
	});
	await app.register(swaggerUi, {
		routePrefix: '/docs',
		// Without it the page finds its scripts at /api/docs/ only, not at /api/docs.
		indexPrefix: '/api',
		staticCSP: true,
		// A server at home is often reached by plain http; the upgrade would leave its page empty.
		transformStaticCSP: (policy) => policy.replace(' upgrade-insecure-requests;', ''),
	});
	app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
		reply.send(app.swagger()),
	);
}
