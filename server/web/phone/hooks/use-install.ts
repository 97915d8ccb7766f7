import { useCallback, useEffect, useState } from 'react';

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

/** Shows the browser's install prompt; undefined if there is none. */
export function useInstall(): (() => void) | undefined {
	const [current, setCurrent] = useState(offer);
	useEffect(() => {
		const listener = () => setCurrent(offer);
		listeners.add(listener);
		return () => void listeners.delete(listener);
	}, []);
	const install = useCallback(() => {
		void offer?.prompt();
		// An offer can be used once; the browser may make a new one later.
		setOffer(undefined);
	}, []);
	return current && install;
}
