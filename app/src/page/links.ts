import { safeLink } from '../../../server/web/device/safe-url.ts';

/** A WebView opens no windows and no other apps, so iOS opens the page's links. */
export function openLinksBy(open: (url: string) => void): void {
	document.addEventListener('click', (event) => {
		const anchor = event.target instanceof Element ? event.target.closest('a[href]') : null;
		// The end of a swipe is not a tap.
		if (!anchor || event.defaultPrevented) return;
		event.preventDefault();
		const link = safeLink(anchor.getAttribute('href') ?? undefined);
		if (link) open(link.href);
	});
}
