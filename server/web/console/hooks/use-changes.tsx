import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { addressOf, ApiError, call } from '../api.ts';

/** Counters that grow whenever something may have changed. */
interface Versions {
	/** Anything at all, including messages sent and received. */
	anything: number;
	/** Changes made by people: names, members, channels and keys. */
	settings: number;
}

interface Changes {
	versions: Versions;
	isConnected: boolean;
	/** Refreshes immediately, after a change made here. */
	refresh: () => void;
}

const NEVER: Versions = { anything: 0, settings: 0 };

const ChangesContext = createContext<Changes>({
	versions: NEVER,
	isConnected: true,
	refresh: () => undefined,
});

const RETRY_MS = 3_000;

/** The page refreshes at most this often, however much is sent. */
const LOOK_EVERY_MS = 2_000;

interface Listener {
	/** @param isTraffic only what is sent and received has changed */
	onChange: (isTraffic: boolean) => void;
	onLoss: () => void;
}

/**
 * Listens to the event stream. A browser reconnects by itself after a lost connection, but gives up if
 * refused, as by a proxy whose server restarts, or when the session is over.
 * @returns a function that stops it
 */
function listen({ onChange, onLoss }: Listener): () => void {
	let source: EventSource;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const open = () => {
		source = new EventSource(addressOf('GET /events'));
		source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
			onChange((JSON.parse(data) as { only?: string }).only === 'traffic');
		});
		source.addEventListener('error', () => {
			onLoss();
			if (source.readyState === EventSource.CLOSED) timer = setTimeout(retry, RETRY_MS);
			// The server may have ended the stream with the session; this call shows it immediately. Any
			// other fault shows when the browser reconnects by itself.
			else call('GET /session').catch(() => undefined);
		});
	};
	const retry = () => {
		// If the session is over, this call shows it.
		call('GET /session').then(open, (error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) timer = setTimeout(retry, RETRY_MS);
		});
	};
	open();
	return () => {
		source.close();
		clearTimeout(timer);
	};
}

function after({ anything, settings }: Versions, isTraffic: boolean): Versions {
	return { anything: anything + 1, settings: isTraffic ? settings : settings + 1 };
}

/** One event stream for the whole console; its events refresh the pages. */
export function ChangesProvider({ children }: { children: ReactNode }) {
	const [versions, setVersions] = useState(NEVER);
	const [isConnected, setIsConnected] = useState(true);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		let lookedAt = -Infinity;
		/** True if only traffic has changed since the last look. */
		let isTraffic = true;
		const look = () => {
			clearTimeout(timer);
			timer = undefined;
			// A hidden page costs the server nothing, and looks again once it is visible.
			if (document.hidden) return;
			const isOnlyTraffic = isTraffic;
			isTraffic = true;
			lookedAt = performance.now();
			setVersions((current) => after(current, isOnlyTraffic));
		};
		const stop = listen({
			onChange: (isOnlyTraffic) => {
				setIsConnected(true);
				isTraffic &&= isOnlyTraffic;
				timer ??= setTimeout(look, Math.max(0, lookedAt + LOOK_EVERY_MS - performance.now()));
			},
			onLoss: () => setIsConnected(false),
		});
		const onVisibility = () => {
			isTraffic = false;
			look();
		};
		document.addEventListener('visibilitychange', onVisibility);
		return () => {
			stop();
			clearTimeout(timer);
			document.removeEventListener('visibilitychange', onVisibility);
		};
	}, []);
	const refresh = () => setVersions((current) => after(current, false));
	return <ChangesContext value={{ versions, isConnected, refresh }}>{children}</ChangesContext>;
}

export function useChanges(): Changes {
	return useContext(ChangesContext);
}
