import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { Delivery } from '../../../src/contract/device.ts';
import type { PreferencesRequest } from '../../../src/contract/preferences.ts';
import { answerQuestion } from '../../device/answer-question.ts';
import { type DeviceClient, isDisconnected } from '../../device/device-client.ts';
import { lacksShown, nextDeparture } from '../../device/lock-screen-questions.ts';
import { type LockScreenState, reduce } from '../../device/lock-screen-state.ts';
import { ownerOf } from '../../device/questions.ts';
import { type Connection, startSession } from '../../device/session.ts';
import type { SavedState } from '../storage.ts';
import { onWorkerMessage } from '../worker-registration.ts';
import type { Answering } from './use-asked.ts';
import { type Dismissals, toRestored, useDismissals } from './use-dismissals.ts';
import { useSavedState } from './use-saved-state.ts';
import { onWake } from './use-visible.ts';

/** Just below the longest delay setTimeout takes; a later departure is checked again then. */
const MAX_TIMEOUT = 2_000_000_000;

export interface Phone extends Dismissals {
	/** Undefined until the first snapshot arrives or the saved state is restored. */
	state: LockScreenState | undefined;
	connection: Connection;
	/** While not live: the time of the state shown, milliseconds on this device's clock. */
	asOf: number | undefined;
	client: DeviceClient;
	answering: Answering;
	/** Changes the person's choices. Rejects, restoring the old ones, if they cannot be stored. */
	choose: (change: PreferencesRequest) => Promise<void>;
	/** Tells the server that this phone is gone. Rejects if the server cannot be reached. */
	disconnect: () => Promise<void>;
}

interface PhoneOptions {
	token: string;
	client: DeviceClient;
	/** The page is hidden and push takes over; an open connection would only suppress it. */
	isAway: boolean;
	onDisconnected: () => void;
}

/** The paired phone behind `token`: its live state, and the actions a person can take. */
export function usePhone({ token, client, isAway, onDisconnected }: PhoneOptions): Phone {
	const [state, dispatch] = useReducer(reduce, undefined);
	const [connection, setConnection] = useState<Connection>('connecting');
	const [asOf, setAsOf] = useState<number>();
	const latest = useRef<LockScreenState>(undefined);
	useEffect(() => {
		latest.current = state;
	}, [state]);
	const dismissals = useDismissals({ client, latest, dispatch, onDisconnected });

	useEffect(() => {
		if (isAway) return undefined;
		let isLive = false;
		const onConnection = (next: Connection) => {
			if (isLive && next !== 'live') setAsOf(Date.now());
			if (next === 'live') setAsOf(undefined);
			isLive = next === 'live';
			setConnection(next);
		};
		const stop = startSession(client, {
			onSnapshot: (snapshot) => dispatch({ type: 'snapshot', snapshot, now: Date.now() }),
			onDelivery: (delivery) => dispatch({ type: 'delivery', delivery, now: Date.now() }),
			onMetric: (metric) => dispatch({ type: 'metric', metric }),
			onShown: (shown) => {
				dispatch({ type: 'notifications_shown', shown });
				if (!latest.current || !lacksShown(latest.current, shown)) return;
				client.call('GET /snapshot').then(
					(snapshot) => dispatch(toRestored(snapshot)),
					() => {
						// The count is right; the next snapshot brings the cards.
					},
				);
			},
			onConnection,
			onDisconnected,
			onWake,
		});
		return () => {
			stop();
			onConnection('connecting');
		};
	}, [client, onDisconnected, isAway]);

	const restore = useCallback((saved: SavedState) => {
		dispatch({ type: 'restored', state: saved.state, now: Date.now() });
		setAsOf((current) => current ?? saved.at);
	}, []);
	useSavedState(token, state, connection, restore);

	useEffect(
		() =>
			onWorkerMessage((message) => {
				if (message.type === 'delivery')
					dispatch({ type: 'delivery', delivery: message.delivery as Delivery, now: Date.now() });
				else if (message.delivery_id !== undefined)
					dispatch({ type: 'notification_dismissed', id: message.delivery_id });
				else if (message.activity_id !== undefined)
					dispatch({ type: 'activity_dismissed', activityId: message.activity_id });
			}),
		[],
	);

	const departure = state === undefined ? undefined : nextDeparture(state);
	useEffect(() => {
		if (departure === undefined) return undefined;
		const delay = Math.min(Math.max(0, departure - Date.now()) + 50, MAX_TIMEOUT);
		const timer = setTimeout(() => dispatch({ type: 'time_passed', now: Date.now() }), delay);
		return () => clearTimeout(timer);
	}, [departure]);

	const userId = ownerOf(state?.device);
	const answering = useMemo(
		() => ({
			userId,
			answer: (...given: Parameters<Answering['answer']>) =>
				answerQuestion(client, ...given).catch((error: unknown) => {
					if (isDisconnected(error)) onDisconnected();
					throw error;
				}),
		}),
		[client, userId, onDisconnected],
	);
	const choose = useCallback(
		async (change: PreferencesRequest) => {
			const before = latest.current?.preferences;
			if (!before) return;
			dispatch({ type: 'preferences', preferences: { ...before, ...change } });
			try {
				const preferences = await client.call('PUT /preferences', change);
				dispatch({ type: 'preferences', preferences });
			} catch (error) {
				dispatch({ type: 'preferences', preferences: before });
				throw error;
			}
		},
		[client],
	);
	const disconnect = useCallback(async () => {
		try {
			await client.call('DELETE /');
		} catch (error) {
			if (!isDisconnected(error)) throw error;
		}
	}, [client]);

	return {
		state,
		connection,
		asOf,
		client,
		answering,
		...dismissals,
		choose,
		disconnect,
	};
}
