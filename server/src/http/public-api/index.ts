import cors from '@fastify/cors';
import type { Context } from '../../service/context.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import type { Feature, RateLimiter, RateLimitSettings } from '../rate-limit.ts';
import { registerBadges } from './badges.ts';
import { createGate } from './gate.ts';
import { registerLiveActivities } from './live-activities.ts';
import { registerMetrics } from './metrics.ts';
import { registerNotifications } from './notifications.ts';
import { registerOpenApi } from './openapi.ts';

/** The eight endpoints of service-api.md, their OpenAPI document and its page. */
export async function registerPublicApi(
	app: TypedApp,
	context: Context,
	limiter: RateLimiter,
	rateLimits: RateLimitSettings,
): Promise<void> {
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
	await registerOpenApi(app);
	const gate = createGate(context, limiter, rateLimits);
	const registerFeature = async (feature: Feature, register: typeof registerBadges) => {
		await app.register(
			plugin(feature, (routes) => {
				gate(routes, feature);
				register(routes, context);
			}),
		);
	};
	await registerFeature('notifications', registerNotifications);
	await registerFeature('badges', registerBadges);
	await registerFeature('live-activities', registerLiveActivities);
	await registerFeature('metrics', registerMetrics);
}
