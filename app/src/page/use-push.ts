/** Replaces the page's own hook: iOS's notifications instead of a browser's subscription. */
import { useCallback, useEffect, useState } from 'react';
import type { Push } from '../../../server/web/phone/hooks/use-push.ts';
import type { Permission } from '../device.ts';

let ask: (wants: boolean) => Promise<Permission> = () => Promise.resolve('denied');

/** Sets the function that asks iOS. @param permission its argument: whether to prompt the person */
export function providePermission(permission: typeof ask): void {
	ask = permission;
}

export function usePush(): Push {
	const [state, setState] = useState<Push['state']>({ kind: 'checking' });
	const read = useCallback(async (wants: boolean) => {
		const answered = { kind: await ask(wants) };
		setState(answered);
		return answered;
	}, []);
	useEffect(() => void read(false), [read]);
	return {
		state,
		turnOn: () => read(true),
		// Only iOS's settings can turn them off.
		turnOff: async () => void (await read(false)),
	};
}
