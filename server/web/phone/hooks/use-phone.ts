import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { Delivery, PreferencesRequest } from '../../../src/contract/device.ts';
import { type DeviceClient, isDisconnected, tellUnreached } from '../../device/device-client.ts';
import { lacksShown, nextDeparture } from '../../device/lock-screen-questions.ts';
import { type LockScreenState, reduce } from '../../device/lock-screen-state.ts';
import { ownerOf } from '../../device/questions.ts';
import { type Connection, startSession } from '../../device/session.ts';
import type { SavedState } from '../storage.ts';
import { onWorkerMessage } from '../worker-registration.ts';
import { keepReport, keepTap, sendReports, type TapReport } from '../reports.ts';
import { type Dismissals, toRestored, useDismissals } from './use-dismissals.ts';
import { useSavedState } from './use-saved-state.ts';
import { onWake } from './use-visible.ts';

/** Just below the longest delay setTimeout takes; a later departure is checked again then. */
const MAX_TIMEOUT_MS = 2_000_000_000;

export interface Phone extends Dismissals {
	/** Undefined until the first snapshot arrives or the saved state is restored. */
	state: LockScreenState | undefined;
	connection: Connection;
	/** While not live: the time of the state shown, milliseconds on this device's clock. */
	asOf: number | undefined;
	client: DeviceClient;
	/** The person whose phone it is, once known. */
	userId: string | undefined;
	/** Reports a tap; without a connection, later. `isOpened`: nobody waits for a result. */
	tap: (report: TapReport, isOpened?: boolean) => void;
	/** Changes the person's choices. Rejects, restoring the old ones, if they cannot be stored. */
	choose: (change: PreferencesRequest) => Promise<void>;
	/** Takes the badge off this phone. Rejects if the server cannot be reached. */
	clearBadge: () => Promise<void>;
	/** Tells the server that this phone is gone. Rejects if the server cannot be reached. */
	disconnect: () => Promise<void>;
}

/** Milliseconds between two renders, however fast deliveries arrive. */
const RENDER_EVERY = 300;

/** Passes values on: the first at once, and those that follow it closely together. */
function batched<T>(pass: (values: T[]) => void): (value: T) => void {
	let waiting: T[] | undefined;
	const next = () => {
		const values = waiting ?? [];
		waiting = undefined;
		if (values.length === 0) return;
		pass(values);
		waiting = [];
		setTimeout(next, RENDER_EVERY);
	};
	return (value) => {
		if (waiting) {
			waiting.push(value);
			return;
		}
		waiting = [value];
		next();
	};
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
			onDelivery: batched((deliveries) => {
				const now = Date.now();
				for (const delivery of deliveries) dispatch({ type: 'delivery', delivery, now });
			}),
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
		window.addEventListener('offline', tellUnreached);
		return () => {
			stop();
			window.removeEventListener('offline', tellUnreached);
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
		const delay = Math.min(Math.max(0, departure - Date.now()) + 50, MAX_TIMEOUT_MS);
		const timer = setTimeout(() => dispatch({ type: 'time_passed', now: Date.now() }), delay);
		return () => clearTimeout(timer);
	}, [departure]);

	const tap = useTaps(connection, onDisconnected);
	const choose = async (change: PreferencesRequest) => {
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
	};
	const clearBadge = async () => {
		await client.call('DELETE /badge');
		dispatch({ type: 'badge_cleared' });
	};
	const disconnect = async () => {
		try {
			await client.call('DELETE /');
		} catch (error) {
			if (!isDisconnected(error)) throw error;
		}
	};

	return {
		state,
		connection,
		asOf,
		client,
		userId: ownerOf(state?.device),
		tap,
		...dismissals,
		choose,
		clearBadge,
		disconnect,
	};
}

/** Milliseconds until the next try, if the connection seems good. */
const TRY_AGAIN = 15_000;

/** Reports taps; those that could not be sent follow when the server is reached again. */
function useTaps(connection: Connection, onDisconnected: () => void): Phone['tap'] {
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const flush = useCallback(async () => {
		clearTimeout(timer.current);
		const { isDone, isDisconnected: isGone } = await sendReports();
		if (isGone) onDisconnected();
		else if (!isDone) timer.current = setTimeout(() => void flush(), TRY_AGAIN);
	}, [onDisconnected]);
	useEffect(() => {
		if (connection === 'live') void flush();
		const stop = onWake(() => void flush());
		return () => {
			stop();
			clearTimeout(timer.current);
		};
	}, [connection, flush]);
	return useCallback(
		(report, isOpened) =>
			void (isOpened ? keepReport(report) : keepTap(report)).then(() => flush()),
		[flush],
	);
}
