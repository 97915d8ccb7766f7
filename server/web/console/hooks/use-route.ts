import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
	window.addEventListener('hashchange', listener);
	return () => window.removeEventListener('hashchange', listener);
}

/** What stands behind the #, such as `/devices`. The server knows nothing of it, so reloads work. */
export function useRoute(): string {
	return useSyncExternalStore(subscribe, () => window.location.hash.slice(1));
}
