import { useCallback, useEffect, useState } from 'react';

/** Chromium's offer to install the page, which other browsers do not make. */
interface InstallOffer extends Event {
	prompt(): Promise<unknown>;
}

let offer: InstallOffer | undefined;
const listeners = new Set<() => void>();

function setOffer(next: InstallOffer | undefined): void {
	offer = next;
	listeners.forEach((listener) => listener());
}

// The browser makes it once, perhaps before anything is drawn.
window.addEventListener('beforeinstallprompt', (event) => {
	event.preventDefault();
	setOffer(event as InstallOffer);
});
window.addEventListener('appinstalled', () => setOffer(undefined));

/** Shows the browser's question; undefined where it has none. */
export function useInstall(): (() => void) | undefined {
	const [current, setCurrent] = useState(offer);
	useEffect(() => {
		const listener = () => setCurrent(offer);
		listeners.add(listener);
		return () => void listeners.delete(listener);
	}, []);
	const install = useCallback(() => {
		void offer?.prompt();
		// It may be asked once; the browser makes a new offer when it wants to.
		setOffer(undefined);
	}, []);
	return current && install;
}
