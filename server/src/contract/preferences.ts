import { z } from 'zod';
import { metricKey } from './metrics.ts';
import { atMost } from './text.ts';

/** A person's choices, the same on all of their phones; docs/device-protocol.md "Preferences". */

const keys = atMost(1_000, z.array(metricKey));

const metrics = z.strictObject({
	/** Keys of metrics in the person's order; all others follow in the server's. */
	order: keys,
	hidden: keys,
});

/** PUT /device/preferences: omitted fields are kept. */
export const preferencesRequest = z.strictObject({
	/** True if a dismissal on one phone also applies to the person's others. */
	seen_once: z.boolean().optional(),
	metrics: metrics.optional(),
});

export const preferences = z.object({ seen_once: z.boolean(), metrics });

export type PreferencesRequest = z.output<typeof preferencesRequest>;
export type Preferences = z.output<typeof preferences>;
