import { createContext, useContext } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';

export const SessionContext = createContext<ConsoleSession | undefined>(undefined);

/** The signed-in member's session; available only below the shell. */
export function useSession(): ConsoleSession & { isOwner: boolean; origin: string } {
	const session = useContext(SessionContext);
	if (session === undefined) throw new Error('useSession needs a session');
	return {
		...session,
		isOwner: session.member.role === 'owner',
		origin: session.public_url ?? window.location.origin,
	};
}
