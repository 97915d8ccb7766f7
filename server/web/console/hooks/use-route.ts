import { useMemo, useSyncExternalStore } from 'react';

/** Called for changes without an event: `replaceState` fires none. */
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	window.addEventListener('hashchange', listener);
	return () => {
		listeners.delete(listener);
		window.removeEventListener('hashchange', listener);
	};
}

interface Route {
	/** Such as `/devices`. */
	path: string;
	query: URLSearchParams;
}

function readRoute(hash: string): Route {
	const [path = '', query] = hash.slice(1).split('?');
	return { path, query: new URLSearchParams(query) };
}

/** The route behind the #, such as `/history?kind=push`. The server never sees it, so reloads work. */
export function useRoute(): Route {
	const hash = useSyncExternalStore(subscribe, () => window.location.hash);
	return useMemo(() => readRoute(hash), [hash]);
}

/** The path in the address at this moment. */
export function currentPath(): string {
	return readRoute(window.location.hash).path;
}

/** The address of the same page with another query. */
export function hrefWith(query: URLSearchParams): string {
	const text = query.toString();
	return `#${currentPath()}${text === '' ? '' : `?${text}`}`;
}

/** Changes the query without an entry in the browser's history. */
export function replaceQuery(query: URLSearchParams): void {
	window.history.replaceState(null, '', hrefWith(query));
	for (const listener of listeners) listener();
}
