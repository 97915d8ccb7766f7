'use dom';

import type { DOMProps } from 'expo/dom';
import { useState } from 'react';
import { PairedPhone } from '../../server/web/phone/components/paired-phone.tsx';
import '../../server/web/phone/styles/all.ts';
import './page/app.css';
import { type Bridge, bridgedFetch } from './bridge.ts';
import type { Permission } from './device.ts';
import { keepIn } from './page/kept.ts';
import { openLinksBy } from './page/links.ts';
import { Pairing, type PairingProps } from './page/pairing.tsx';
import { providePermission } from './page/use-push.ts';

/** Functions of the app, which a page in a WebView can only await. */
interface PageProps extends Bridge, PairingProps {
	/**
	 * Distinguishes this pairing's data from another's, since the token stays outside; undefined until there is a
	 * pairing.
	 */
	phone: string | undefined;
	permission: (ask: boolean) => Promise<Permission>;
	openLink: (url: string) => Promise<void>;
	onDisconnected: () => Promise<void>;
	onLeft: () => Promise<void>;
	dom?: DOMProps;
}

/** The phone page, whose calls the app makes, or the screen for pairing. */
export default function Page(props: PageProps) {
	// Only once, before the page calls anything: when the props change, their new functions do the same.
	const [{ onDisconnected, onLeft }] = useState(() => {
		globalThis.fetch = bridgedFetch(props);
		keepIn(props);
		providePermission(props.permission);
		openLinksBy((url) => void props.openLink(url));
		document.documentElement.lang = 'en';
		document.title = 'Beckon';
		// Expo's default forbids zooming.
		document
			.querySelector('meta[name=viewport]')
			?.setAttribute('content', 'width=device-width, initial-scale=1, viewport-fit=cover');
		return {
			onDisconnected: () => void props.onDisconnected(),
			onLeft: () => void props.onLeft(),
		};
	});
	if (props.phone === undefined) return <Pairing {...props} />;
	return <PairedPhone token={props.phone} onDisconnected={onDisconnected} onLeft={onLeft} />;
}
