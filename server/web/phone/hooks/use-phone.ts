import { useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import { type DeviceClient, deviceClient, isDisconnected } from '../device-client.ts';
import { type LockScreenState, nextDeparture, reduce } from '../lock-screen-state.ts';
import { type Connection, startSession } from '../session.ts';

/** setTimeout cannot count further than this; a later departure is looked at again then. */
const MAX_TIMEOUT = 2_000_000_000;

export interface Phone {
	/** Undefined until the first snapshot has arrived. */
	state: LockScreenState | undefined;
	connection: Connection;
	client: DeviceClient;
	dismissNotification: (id: number) => void;
	dismissActivity: (activityId: string) => void;
	/** Tells the server that this phone is gone. Rejects when the server cannot be reached. */
	disconnect: () => Promise<void>;
}

/** The paired phone behind `token`: its state, kept live, and what a person can do with it. */
export function usePhone(token: string, onDisconnected: () => void): Phone {
	const client = useMemo(() => deviceClient(token), [token]);
	const [state, dispatch] = useReducer(reduce, undefined);
	const [connection, setConnection] = useState<Connection>('connecting');

	useEffect(
		() =>
			startSession(client, {
				onSnapshot: (snapshot) => dispatch({ type: 'snapshot', snapshot, now: Date.now() }),
				onDelivery: (delivery) => dispatch({ type: 'delivery', delivery, now: Date.now() }),
				onMetric: (metric) => dispatch({ type: 'metric', metric }),
				onConnection: setConnection,
				onDisconnected,
			}),
		[client, onDisconnected],
	);

	const departure = state === undefined ? undefined : nextDeparture(state);
	useEffect(() => {
		if (departure === undefined) return undefined;
		const delay = Math.min(Math.max(0, departure - Date.now()) + 50, MAX_TIMEOUT);
		const timer = setTimeout(() => dispatch({ type: 'time_passed', now: Date.now() }), delay);
		return () => clearTimeout(timer);
	}, [departure]);

	const report = useCallback(
		(call: Promise<unknown>) => {
			call.catch((error: unknown) => {
				if (isDisconnected(error)) onDisconnected();
			});
		},
		[onDisconnected],
	);
	const dismissNotification = useCallback(
		(id: number) => {
			dispatch({ type: 'notification_dismissed', id });
			report(client.dismiss({ delivery_id: id }));
		},
		[client, report],
	);
	const dismissActivity = useCallback(
		(activityId: string) => {
			dispatch({ type: 'activity_dismissed', activityId });
			report(client.dismiss({ activity_id: activityId }));
		},
		[client, report],
	);
	const disconnect = useCallback(async () => {
		try {
			await client.disconnect();
		} catch (error) {
			if (!isDisconnected(error)) throw error;
		}
	}, [client]);

	return { state, connection, client, dismissNotification, dismissActivity, disconnect };
}
