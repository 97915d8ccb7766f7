import { useEffect, useState } from 'react';
import { isWeb, readScheme } from '../../../src/contract/schemes.ts';

/** Milliseconds within which an app that opens a link comes to the front. */
const OPENED_WITHIN_MS = 1_500;

const SHOWN_MS = 8_000;

/**
 * The scheme of a tapped link that apparently opened no app; undefined otherwise. Browsers do not tell a page, but an
 * app in front hides it. Losing focus proves nothing: a browser's own prompt takes it too.
 */
export function useUnopenedLink(): string | undefined {
	const [scheme, setScheme] = useState<string>();
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const forget = () => {
			clearTimeout(timer);
			setScheme(undefined);
		};
		const onClick = ({ target }: MouseEvent) => {
			const link = target instanceof Element ? target.closest('a[href]') : null;
			const url = link?.getAttribute('href') ?? '';
			const tapped = readScheme(url);
			if (tapped === undefined || isWeb(url)) return;
			forget();
			timer = setTimeout(() => {
				setScheme(tapped);
				timer = setTimeout(forget, SHOWN_MS);
			}, OPENED_WITHIN_MS);
		};
		document.addEventListener('click', onClick);
		document.addEventListener('visibilitychange', forget);
		return () => {
			clearTimeout(timer);
			document.removeEventListener('click', onClick);
			document.removeEventListener('visibilitychange', forget);
		};
	}, []);
	return scheme;
}
