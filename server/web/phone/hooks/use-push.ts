import { useCallback, useEffect, useState } from 'react';
import type { DeviceClient } from '../../device/device-client.ts';
import { inTurn } from '../../device/in-turn.ts';
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
	isVisible: boolean,
): Push {
	const [state, setState] = useState<PushState>({ kind: 'checking' });
	const wantsPush = settings?.push;
	/** In the order of the person's taps: a slow start must not undo a later stop. */
	const [inOrder] = useState(inTurn);
	const start = useCallback(async () => {
		const before = toPushState(pushEnvironment());
		if (before.kind !== 'off') {
			setState(before);
			return before;
		}
		const after = await startPush(client);
		setState(after);
		return after;
	}, [client]);

	useEffect(() => {
		if (wantsPush === undefined) return;
		if (!wantsPush) setState(toPushState(pushEnvironment()));
		// Also when the page returns: its subscription may have ended meanwhile.
		else if (isVisible) void inOrder(start);
	}, [inOrder, isVisible, start, wantsPush]);

	const turnOn = useCallback(async () => {
		await askForPush();
		changeSettings({ push: true });
		return inOrder(start);
	}, [changeSettings, inOrder, start]);
	const turnOff = async () => {
		changeSettings({ push: false });
		await inOrder(async () => {
			setState(toPushState(pushEnvironment()));
			await unsubscribe();
			await client.call('PUT /tokens', { push_subscription: null });
		});
	};
	return { state, turnOn, turnOff };
}
