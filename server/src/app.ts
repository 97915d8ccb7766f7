import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { type App, type AppOptions, buildApp } from './http/app.ts';
import type { Context } from './service/context.ts';

/** The pages, next to the built program or where a source checkout builds them. */
function webRoot(): string | undefined {
	return [join(import.meta.dirname, 'web'), join(import.meta.dirname, '../dist/web')].find(
		(folder) => existsSync(join(folder, 'phone', 'index.html')),
	);
}

/** The API, the pages and their routes, with the limits of the settings. */
export function createApp(
	context: Context,
	config: Config,
	logger: AppOptions['logger'],
	onAnswer?: AppOptions['onAnswer'],
): Promise<App> {
	return buildApp({
		context,
		logger,
		trustedProxies: config.BECKON_TRUSTED_PROXIES,
		rateLimits: {
			windowSeconds: config.BECKON_RATE_WINDOW_SECONDS,
			perAddress: config.BECKON_RATE_PER_ADDRESS,
			perAccount: {
				notifications: config.BECKON_RATE_NOTIFICATIONS,
				badges: config.BECKON_RATE_BADGES,
				'live-activities': config.BECKON_RATE_LIVE_ACTIVITIES,
				metrics: config.BECKON_RATE_METRICS,
				lists: config.BECKON_RATE_LISTS,
				images: config.BECKON_RATE_IMAGES,
			},
			perDevice: config.BECKON_RATE_PER_DEVICE,
		},
		webRoot: webRoot(),
		onAnswer,
	});
}
