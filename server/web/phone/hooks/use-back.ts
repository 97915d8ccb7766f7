import { useEffect, useEffectEvent } from 'react';

/** Resolved once the browser has gone back as it was told: until then, a new entry would be lost. */
let returned: Promise<unknown> = Promise.resolve();

function goBack(): void {
	returned = new Promise((resolve) => {
		window.addEventListener('popstate', resolve, { once: true });
	});
	history.back();
}

/** Lets Back close a screen or a sheet while it is open, instead of leaving the app. */
export function useBack(isOpen: boolean, onClose: () => void): void {
	const close = useEffectEvent(onClose);
	useEffect(() => {
		if (!isOpen) return undefined;
		let isClosed = false;
		let isOnTop = false;
		const onBack = () => {
			isOnTop = false;
			close();
		};
		void returned.then(() => {
			if (isClosed) return;
			history.pushState({ isCovered: true }, '');
			isOnTop = true;
			window.addEventListener('popstate', onBack);
		});
		return () => {
			isClosed = true;
			window.removeEventListener('popstate', onBack);
			// Closed in another way: removes its entry, which would need another Back.
			if (isOnTop) goBack();
		};
	}, [isOpen]);
}
