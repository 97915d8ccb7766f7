/** Takes the place of the page's own hook: iOS's notifications instead of a browser's subscription. */
import { useCallback, useEffect, useState } from 'react';
import type { Push } from '../../../server/web/phone/hooks/use-push.ts';
import type { Permission } from '../device.ts';

const STATES = { on: 'on', ask: 'ask', denied: 'denied' } as const;

let ask: (wants: boolean) => Promise<Permission> = () => Promise.resolve('denied');

/** Sets what asks iOS. @param permission gets whether to ask the person */
export function providePermission(permission: typeof ask): void {
	ask = permission;
}

export function usePush(): Push {
	const [kind, setKind] = useState<Push['state']['kind']>('checking');
	const read = useCallback(async (wants: boolean) => {
		const state = { kind: STATES[await ask(wants)] };
		setKind(state.kind);
		return state;
	}, []);
	useEffect(() => void read(false), [read]);
	return {
		state: { kind } as Push['state'],
		turnOn: () => read(true),
		// Only iOS's settings can.
		turnOff: async () => void (await read(false)),
	};
}
