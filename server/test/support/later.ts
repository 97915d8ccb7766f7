import type { Context } from '../../src/service/context.ts';
import { type LaterKind, Later } from '../../src/service/later/later.ts';

/**
 * Settles what is due of a kind, as one more server would.
 * @returns the number of deliveries, once they are attempted and all calls have ended
 */
export function settleDue(context: Context, kind: LaterKind): Promise<number> {
	const later = new Later(context, [kind], (error, what) => {
		throw new Error(`${what} failed`, { cause: error });
	});
	return later.runOnce();
}
