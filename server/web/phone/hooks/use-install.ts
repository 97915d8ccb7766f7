import { useSyncExternalStore } from 'react';

/** Chromium's offer to install the page; other browsers have none. */
interface InstallOffer extends Event {
	prompt(): Promise<unknown>;
}

let offer: InstallOffer | undefined;
const listeners = new Set<() => void>();

function setOffer(next: InstallOffer | undefined): void {
	offer = next;
	listeners.forEach((listener) => listener());
}

// The browser fires it once, perhaps before anything is drawn.
window.addEventListener('beforeinstallprompt', (event) => {
	event.preventDefault();
	setOffer(event as InstallOffer);
});
window.addEventListener('appinstalled', () => setOffer(undefined));

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

function install(): void {
	void offer?.prompt();
	// An offer can be used once; the browser may make a new one later.
	setOffer(undefined);
}

/** Shows the browser's install prompt; undefined if there is none. */
export function useInstall(): (() => void) | undefined {
	return useSyncExternalStore(subscribe, () => offer) && install;
}
