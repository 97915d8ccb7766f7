import cors from '@fastify/cors';
import { bearerToken } from '../bearer.ts';
import { Gate } from '../gate.ts';
import type { HttpParts } from '../parts.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import type { Feature } from '../rate-limit.ts';
import { registerBadges } from './badges.ts';
import { registerImages } from './images.ts';
import { registerLists } from './lists.ts';
import { registerLiveActivities } from './live-activities.ts';
import { registerMetrics } from './metrics.ts';
import { registerNotifications } from './notifications.ts';
import { registerOpenApi } from './openapi.ts';

/** The published endpoints and Beckon's additions, their OpenAPI document and its page. */
export async function registerPublicApi(app: TypedApp, parts: HttpParts): Promise<void> {
	await app.register(cors, {
		origin: '*',
		methods: ['GET', 'POST', 'PUT', 'DELETE'],
		allowedHeaders: '*, Authorization',
		exposedHeaders: [
			'RateLimit',
			'RateLimit-Policy',
			'Retry-After',
			'WWW-Authenticate',
			'X-Request-Id',
		],
		maxAge: 86_400,
		// An OPTIONS request that is not a preflight is answered like one, instead of with plain text.
		strictPreflight: false,
	});
	await registerOpenApi(app, parts);
	const gate = new Gate(parts, 'api', ({ headers }) => bearerToken(headers.authorization));
	const registerFeature = async (feature: Feature, register: typeof registerBadges) => {
		await app.register(
			plugin(feature, (routes) => {
				gate.guard(routes, feature);
				register(routes, parts.context);
			}),
		);
	};
	await registerFeature('notifications', registerNotifications);
	await registerFeature('badges', registerBadges);
	await registerFeature('live-activities', registerLiveActivities);
	await registerFeature('metrics', registerMetrics);
	await registerFeature('lists', registerLists);
	await registerFeature('images', registerImages);
}
