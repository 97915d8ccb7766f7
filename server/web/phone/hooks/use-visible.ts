import { useSyncExternalStore } from 'react';

function subscribeVisible(listener: () => void): () => void {
	document.addEventListener('visibilitychange', listener);
	return () => document.removeEventListener('visibilitychange', listener);
}

/** True while the page is visible. */
export function useVisible(): boolean {
	return useSyncExternalStore(subscribeVisible, () => document.visibilityState === 'visible');
}

function subscribeOnline(listener: () => void): () => void {
	window.addEventListener('online', listener);
	window.addEventListener('offline', listener);
	return () => {
		window.removeEventListener('online', listener);
		window.removeEventListener('offline', listener);
	};
}

/** Calls back when the network is back, or the page becomes visible. @returns a function that stops it */
export function onWake(wake: () => void): () => void {
	const stopVisible = subscribeVisible(() => document.visibilityState === 'visible' && wake());
	const stopOnline = subscribeOnline(() => navigator.onLine && wake());
	return () => {
		stopVisible();
		stopOnline();
	};
}

/** False if the browser knows that there is no network. */
export function useOnline(): boolean {
	return useSyncExternalStore(subscribeOnline, () => navigator.onLine);
}
