import { useCallback, useEffect, useRef, useState } from 'react';
import type { DeviceClient } from '../../device/device-client.ts';
import {
	askForPush,
	pushEnvironment,
	type PushState,
	startPush,
	toPushState,
	unsubscribe,
} from '../push-registration.ts';
import type { Settings } from '../storage.ts';
import type { ChangeSettings } from './use-settings.ts';

export interface Push {
	state: PushState;
	/** Asks for permission if needed, and switches notifications on. @returns what came of it */
	turnOn: () => Promise<PushState>;
	turnOff: () => Promise<void>;
}

/** Notifications while the page is closed: enabled by a tap, then renewed without one. */
export function usePush(
	client: DeviceClient,
	settings: Settings | undefined,
	changeSettings: ChangeSettings,
): Push {
	const [state, setState] = useState<PushState>({ kind: 'checking' });
	const wantsPush = settings?.push;
	const last = useRef<Promise<unknown>>(Promise.resolve());

	/** In the order of the person's taps: a slow start must not undo a later stop. */
	const inTurn = useCallback(<T>(work: () => Promise<T>): Promise<T> => {
		const done = last.current.then(work);
		last.current = done.catch(() => undefined);
		return done;
	}, []);
	const start = useCallback(async () => {
		const before = toPushState(pushEnvironment());
		setState(before);
		if (before.kind !== 'off') return before;
		const after = await startPush(client);
		setState(after);
		return after;
	}, [client]);

	useEffect(() => {
		if (wantsPush === undefined) return;
		if (!wantsPush) setState(toPushState(pushEnvironment()));
		else void inTurn(start);
	}, [inTurn, start, wantsPush]);

	const turnOn = useCallback(async () => {
		await askForPush();
		changeSettings({ push: true });
		return inTurn(start);
	}, [changeSettings, inTurn, start]);
	const turnOff = useCallback(async () => {
		changeSettings({ push: false });
		await inTurn(async () => {
			setState(toPushState(pushEnvironment()));
			await unsubscribe();
			await client.call('PUT /tokens', { push_subscription: null });
		});
	}, [client, changeSettings, inTurn]);
	return { state, turnOn, turnOff };
}
