import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { LockScreenState } from '../../device/lock-screen-state.ts';
import type { Connection } from '../../device/session.ts';
import { load, save, type SavedState } from '../storage.ts';

/** Shortest time between two writes, in milliseconds, however fast updates arrive. */
const SAVE_EVERY_MS = 1_000;

/** Milliseconds a server has to answer before the old state is shown; avoids a flash of it. */
const RESTORE_AFTER_MS = 800;

/**
 * Keeps the last state for times without a network, and restores it at the start.
 * @param restore not called if nothing was kept for this phone; may be called after a newer state
 */
export function useSavedState(
	token: string,
	state: LockScreenState | undefined,
	connection: Connection,
	restore: (saved: SavedState) => void,
): void {
	const [saved, setSaved] = useState<SavedState>();
	useEffect(() => {
		let isCurrent = true;
		void load('saved').then((found) => {
			if (isCurrent && found?.token === token) setSaved(found);
		});
		return () => {
			isCurrent = false;
		};
	}, [token]);
	useEffect(() => {
		if (!saved || connection === 'live') return undefined;
		const wait = connection === 'offline' ? 0 : RESTORE_AFTER_MS;
		const timer = setTimeout(() => restore(saved), wait);
		return () => clearTimeout(timer);
	}, [saved, connection, restore]);

	const savedAt = useRef(0);
	/** When the state was last known to be current. */
	const liveAt = useRef(0);
	const write = useEffectEvent(() => {
		savedAt.current = Date.now();
		if (connection === 'live') liveAt.current = Date.now();
		// Restored state must not be saved as current; one whose connection is lost was.
		if (state && liveAt.current > 0 && (connection === 'live' || connection === 'reconnecting'))
			void save('saved', { token, at: liveAt.current, state: { ...state, attention: undefined } });
	});
	useEffect(() => {
		const onHidden = () => document.hidden && write();
		document.addEventListener('visibilitychange', onHidden);
		const timer = setTimeout(
			() => write(),
			Math.max(0, savedAt.current + SAVE_EVERY_MS - Date.now()),
		);
		return () => {
			document.removeEventListener('visibilitychange', onHidden);
			clearTimeout(timer);
		};
	}, [token, state, connection]);
}
