import type { Config } from '../config.ts';
import type { Context } from '../service/context.ts';
import type { RateLimiter } from './limits.ts';

/** What the routes depend on. */
export interface HttpParts {
	context: Context;
	/** Counts requests, in the window that the settings name. */
	limiter: RateLimiter;
	config: Config;
}
