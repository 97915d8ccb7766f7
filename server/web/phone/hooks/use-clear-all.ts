import { useCallback, useEffect, useState } from 'react';
import type { DeviceClient } from '../device-client.ts';
import type { LockScreenEvent, LockScreenState } from '../lock-screen-state.ts';

const UNDO_MS = 8_000;

/** The message after clearing, shown while it can be undone. */
export interface Cleared {
	words: string;
	undo: (() => void) | undefined;
}

/** Clears all notifications in one request, and can restore them. */
export function useClearAll(
	client: DeviceClient,
	state: LockScreenState | undefined,
	dispatch: (event: LockScreenEvent) => void,
): { clearAll: () => void; cleared: Cleared | undefined } {
	const [cleared, setCleared] = useState<Cleared>();
	useEffect(() => {
		if (cleared === undefined) return undefined;
		const timer = setTimeout(() => setCleared(undefined), UNDO_MS);
		return () => clearTimeout(timer);
	}, [cleared]);

	const clearAll = useCallback(() => {
		if (state === undefined) return;
		const { notifications, notificationCount: count, cursor } = state;
		const putBack = () =>
			dispatch({ type: 'notifications_restored', notifications, count, cursor });
		const failed = (words: string) => setCleared({ words, undo: undefined });
		dispatch({ type: 'notifications_cleared', upTo: cursor });
		client.call('POST /notifications/clear', { up_to: cursor }).then(
			({ cleared: number, undo }) =>
				setCleared({
					words: `${number.toLocaleString()} ${number === 1 ? 'notification' : 'notifications'} cleared`,
					undo: () => {
						setCleared(undefined);
						putBack();
						client.call('POST /notifications/restore', { undo }).catch(() => {
							dispatch({ type: 'notifications_cleared', upTo: cursor });
							failed('They could not be restored. They are still in the history.');
						});
					},
				}),
			() => {
				putBack();
				failed('Not cleared: could not reach the server.');
			},
		);
	}, [client, state, dispatch]);
	return { clearAll, cleared };
}
