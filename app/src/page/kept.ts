/** Replaces idb-keyval: the app keeps what the page stores, and deletes it with the pairing. */
import { inTurn } from '../../../server/web/device/in-turn.ts';
import type { Bridge } from '../bridge.ts';

type Kept = Pick<Bridge, 'load' | 'save'>;

let kept: Kept;
const changing = inTurn();

/** Sets where the page's data is kept; call it before the page loads any. */
export function keepIn(bridge: Kept): void {
	kept = bridge;
}

/** JSON has no sets. */
const fromSet = (_: string, value: unknown) =>
	value instanceof Set ? { $set: [...value] } : value;
const toSet = (_: string, value: { $set?: unknown[] } | null) =>
	value?.$set ? new Set(value.$set) : value;

export async function get<T>(key: string): Promise<T | undefined> {
	const text = await kept.load(key);
	return text === null ? undefined : (JSON.parse(text, toSet) as T);
}

export const set = (key: string, value: unknown): Promise<void> =>
	kept.save(key, JSON.stringify(value, fromSet));

export const del = (key: string): Promise<void> => kept.save(key, null);

/** One at a time, as in a transaction. */
export const update = <T>(key: string, changed: (value: T | undefined) => T): Promise<void> =>
	changing(async () => set(key, changed(await get<T>(key))));
