import type { Context } from '../service/context.ts';
import type { RateLimiter, RateLimitSettings } from './rate-limit.ts';

/** What the routes depend on. */
export interface HttpParts {
	context: Context;
	/** Counts requests, in the window that the settings name. */
	limiter: RateLimiter;
	rateLimits: RateLimitSettings;
}
