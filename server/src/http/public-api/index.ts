import cors from '@fastify/cors';
import type { Context } from '../../service/context.ts';
import type { TypedApp } from '../typed-app.ts';
import type { RateLimiter, RateLimitSettings } from '../rate-limit.ts';
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
	await app.register(async (feature: TypedApp) => {
		gate(feature, 'notifications');
		registerNotifications(feature, context);
	});
	await app.register(async (feature: TypedApp) => {
		gate(feature, 'badges');
		registerBadges(feature, context);
	});
	await app.register(async (feature: TypedApp) => {
		gate(feature, 'live-activities');
		registerLiveActivities(feature, context);
	});
	await app.register(async (feature: TypedApp) => {
		gate(feature, 'metrics');
		registerMetrics(feature, context);
	});
}
