import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
	window.addEventListener('hashchange', listener);
	return () => window.removeEventListener('hashchange', listener);
}

/** The route behind the #, such as `/devices`. The server never sees it, so reloads work. */
export function useRoute(): string {
	return useSyncExternalStore(subscribe, () => window.location.hash.slice(1));
}
