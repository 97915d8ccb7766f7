import { countShownPushes } from '../../store/phones/shown-pushes.ts';
import type { Db } from '../../store/schema.ts';
import { inSearchTurn } from '../search-turns.ts';

/** Pushes counted per query, which blocks everything else for a quarter of a millisecond. */
const STRETCH = 2_000;

/** The number of pushes on a phone's lock screen; other work gets its turn while many are counted. */
export async function countShown(db: Db, deviceId: string): Promise<number> {
	let [total, after] = [0, 0];
	for (;;) {
		const stretch = { deviceId, after, limit: STRETCH };
		const count = () => countShownPushes(db, stretch);
		const found = await (after === 0 ? count() : inSearchTurn(count));
		total += found.count;
		if (found.count < STRETCH) return total;
		after = found.last;
	}
}
