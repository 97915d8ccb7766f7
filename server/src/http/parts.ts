import type { Context } from '../service/context.ts';
import type { RateLimiter, RateLimitSettings } from './rate-limit.ts';

/** What the routes depend on. */
export interface HttpParts {
	context: Context;
	/** Counts the requests of the public API and the senders. */
	limiter: RateLimiter;
	rateLimits: RateLimitSettings;
}
