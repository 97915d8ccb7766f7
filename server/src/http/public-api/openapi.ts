import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { TypedApp } from '../app.ts';
import { tidyComponents } from './tidy-components.ts';

const DESCRIPTION =
	'Sends what a workflow knows to the phones of an account: push notifications, the app icon badge, ' +
	'Live Activities and lock-screen metrics. Every answer carries RateLimit and RateLimit-Policy headers.';

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
				? tidyComponents(jsonSchemaTransformObject(document))
				: document.swaggerObject,
	});
	await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
	app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
		reply.send(app.swagger()),
	);
}
