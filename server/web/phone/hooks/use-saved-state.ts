import { useEffect, useRef } from 'react';
import type { LockScreenState } from '../lock-screen-state.ts';
import type { Connection } from '../session.ts';
import { load, save, type SavedState } from '../storage.ts';

/** A burst of updates is written once. */
const SAVE_AFTER_MS = 1_000;

/**
 * Keeps the last state for when there is no network, and brings it back once, at the start.
 * @param restore is not called where nothing was kept of this phone
 */
export function useSavedState(
	token: string,
	state: LockScreenState | undefined,
	connection: Connection,
	restore: (saved: SavedState) => void,
): void {
	const current = useRef({ token, state, connection });
	useEffect(() => {
		current.current = { token, state, connection };
	});

	useEffect(() => {
		let isCurrent = true;
		void load('saved').then((saved) => {
			if (isCurrent && saved?.token === token) restore(saved);
		});
		return () => {
			isCurrent = false;
		};
	}, [token, restore]);

	useEffect(() => {
		const write = () => {
			const { state: now, connection: how } = current.current;
			// What came from an earlier time must not look as if it were of now.
			if (now && how === 'live')
				void save('saved', { token, at: Date.now(), state: { ...now, attention: undefined } });
		};
		const onHidden = () => document.hidden && write();
		document.addEventListener('visibilitychange', onHidden);
		const timer = setTimeout(write, SAVE_AFTER_MS);
		return () => {
			document.removeEventListener('visibilitychange', onHidden);
			clearTimeout(timer);
		};
	}, [token, state, connection]);
}
