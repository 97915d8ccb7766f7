import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { api, ApiError } from '../api.ts';

interface Changes {
	/** Grows whenever something may have changed. */
	version: number;
	isConnected: boolean;
	/** Refreshes at once, after a change made here. */
	refresh: () => void;
}

const ChangesContext = createContext<Changes>({
	version: 0,
	isConnected: true,
	refresh: () => undefined,
});

const RETRY_MS = 3_000;

/**
 * Listens to the event stream. A browser reconnects by itself after a lost connection, but gives up if
 * refused, as by a proxy whose server restarts, or when the session is over.
 * @returns a function that stops it
 */
function listen({ onChange, onLoss }: { onChange: () => void; onLoss: () => void }): () => void {
	let source: EventSource;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const open = () => {
		source = new EventSource('/console/api/events');
		source.addEventListener('changed', onChange);
		source.addEventListener('error', () => {
			onLoss();
			if (source.readyState === EventSource.CLOSED) timer = setTimeout(retry, RETRY_MS);
			// The server may have ended the stream with the session; this call tells the person at once. Any
			// other fault shows when the browser reconnects by itself.
			else api.session().catch(() => undefined);
		});
	};
	const retry = () => {
		// If the session is over, this call tells the person.
		api.session().then(open, (error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) timer = setTimeout(retry, RETRY_MS);
		});
	};
	open();
	return () => {
		source.close();
		clearTimeout(timer);
	};
}

/** One event stream for the whole console; pages refresh when it says so. */
export function ChangesProvider({ children }: { children: ReactNode }) {
	const [version, setVersion] = useState(0);
	const [isConnected, setIsConnected] = useState(true);
	useEffect(() => {
		const look = () => setVersion((current) => current + 1);
		const stop = listen({
			onChange: () => {
				setIsConnected(true);
				// A hidden page costs the server nothing.
				if (!document.hidden) look();
			},
			onLoss: () => setIsConnected(false),
		});
		document.addEventListener('visibilitychange', look);
		return () => {
			stop();
			document.removeEventListener('visibilitychange', look);
		};
	}, []);
	const refresh = () => setVersion((current) => current + 1);
	return <ChangesContext value={{ version, isConnected, refresh }}>{children}</ChangesContext>;
}

export function useChanges(): Changes {
	return useContext(ChangesContext);
}
