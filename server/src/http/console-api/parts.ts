import type { Context } from '../../service/context.ts';
import type { RateLimiter, RateLimitSettings } from '../rate-limit.ts';

/** Dependencies of the console's routes. */
export interface ConsoleParts {
	context: Context;
	/** Counts the requests of the public API. */
	limiter: RateLimiter;
	rateLimits: RateLimitSettings;
}

export const success = { success: true };
