import { createContext, useContext, useEffect, useState } from 'react';
import type { Notification as Push } from '../../../src/contract/shown.ts';

/** Reads the whole message of a push, by the id of its delivery. */
export const WholeMessages = createContext<(id: number) => Promise<string>>(() =>
	Promise.reject(new Error('Nothing reads messages here')),
);

/** The message of a push and, of a long one, whether the rest is there. */
export interface WholeMessage {
	text: string | undefined;
	/** Why the rest of the text is missing; undefined: it is complete. */
	missing: 'loading' | 'failed' | undefined;
	retry: () => void;
}

/** Loads the rest of a long message once somebody reads it. */
export function useWholeMessage(id: number, push: Push | undefined, isRead: boolean): WholeMessage {
	const read = useContext(WholeMessages);
	const [whole, setWhole] = useState<string>();
	const [hasFailed, setHasFailed] = useState(false);
	const isShort = push?.shortened === true && whole === undefined;
	const isAsked = isShort && isRead && !hasFailed;
	useEffect(() => {
		if (!isAsked) return;
		let isGone = false;
		const unlessGone =
			<T>(use: (value: T) => void) =>
			(value: T) => {
				if (!isGone) use(value);
			};
		read(id).then(
			unlessGone(setWhole),
			unlessGone(() => setHasFailed(true)),
		);
		return () => {
			isGone = true;
		};
	}, [isAsked, id, read]);
	const missing = isShort ? (hasFailed ? 'failed' : 'loading') : undefined;
	return { text: whole ?? push?.message, missing, retry: () => setHasFailed(false) };
}
