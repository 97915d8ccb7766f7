import type { Context } from '../../service/context.ts';
import type { RateLimiter, RateLimitSettings } from '../rate-limit.ts';

/** What the console's routes are made of. */
export interface ConsoleParts {
	context: Context;
	/** The one that counts the requests of the public API. */
	limiter: RateLimiter;
	rateLimits: RateLimitSettings;
	/** Where people reach the server, where the settings say so. */
	publicUrl: string | undefined;
}

export const success = { success: true };
