import { useCallback, useEffect, useState } from 'react';
import type { DeviceClient } from '../device-client.ts';
import {
	askForPush,
	pushEnvironment,
	type PushState,
	pushStateOf,
	startPush,
	unsubscribe,
} from '../push-registration.ts';
import type { Settings } from '../storage.ts';
import type { ChangeSettings } from './use-settings.ts';

export interface Push {
	state: PushState;
	/** Asks for permission if needed, and switches notifications on. */
	turnOn: () => Promise<void>;
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

	useEffect(() => {
		if (wantsPush === undefined) return undefined;
		let isCurrent = true;
		const start = async () => {
			const before = pushStateOf(pushEnvironment());
			setState(before);
			if (before.kind !== 'off' || !wantsPush) return;
			const after = await startPush(client);
			if (isCurrent) setState(after);
		};
		void start();
		return () => {
			isCurrent = false;
		};
	}, [client, wantsPush]);

	const turnOn = useCallback(async () => {
		const asked = await askForPush();
		changeSettings({ push: true, askedForPush: true });
		setState(asked.kind === 'off' ? await startPush(client) : asked);
	}, [client, changeSettings]);
	const turnOff = useCallback(async () => {
		changeSettings({ push: false });
		setState(pushStateOf(pushEnvironment()));
		await unsubscribe();
		await client.setSubscription(null);
	}, [client, changeSettings]);
	return { state, turnOn, turnOff };
}
