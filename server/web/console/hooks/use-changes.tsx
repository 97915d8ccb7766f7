import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

interface Changes {
	/** Grows whenever something may have changed. */
	version: number;
	isConnected: boolean;
	/** Looks again at once, after what was done here. */
	refresh: () => void;
}

const ChangesContext = createContext<Changes>({
	version: 0,
	isConnected: true,
	refresh: () => undefined,
});

/** One event stream for the whole console; pages look again when it says so. */
export function ChangesProvider({ children }: { children: ReactNode }) {
	const [version, setVersion] = useState(0);
	const [isConnected, setIsConnected] = useState(true);
	useEffect(() => {
		const source = new EventSource('/console/api/events');
		const look = () => setVersion((current) => current + 1);
		source.addEventListener('changed', () => {
			setIsConnected(true);
			// A page that nobody looks at costs the server nothing.
			if (!document.hidden) look();
		});
		source.addEventListener('error', () => setIsConnected(false));
		document.addEventListener('visibilitychange', look);
		return () => {
			source.close();
			document.removeEventListener('visibilitychange', look);
		};
	}, []);
	const refresh = () => setVersion((current) => current + 1);
	return <ChangesContext value={{ version, isConnected, refresh }}>{children}</ChangesContext>;
}

export function useChanges(): Changes {
	return useContext(ChangesContext);
}
