'use dom';

import type { DOMProps } from 'expo/dom';
import { useState } from 'react';
import { PairedPhone } from '../../server/web/phone/components/paired-phone.tsx';
import '../../server/web/phone/styles/all.ts';
import './page/app.css';
import { type Bridge, bridgedFetch } from './bridge.ts';
import type { Permission } from './device.ts';
import { openLinksBy } from './page/links.ts';
import { providePermission } from './page/use-push.ts';

/** Functions of the app, which a page in a WebView can only await. */
interface PageProps extends Bridge {
	token: string;
	permission: (ask: boolean) => Promise<Permission>;
	openLink: (url: string) => Promise<void>;
	onDisconnected: () => Promise<void>;
	onLeft: () => Promise<void>;
	dom?: DOMProps;
}

/** The phone page, whose calls the app makes. */
export default function Page(props: PageProps) {
	// Once, before the page calls anything: each update of the properties brings new functions that do the same.
	const [{ onDisconnected, onLeft }] = useState(() => {
		const { call, openEvents, nextEvents, closeEvents } = props;
		globalThis.fetch = bridgedFetch({ call, openEvents, nextEvents, closeEvents });
		providePermission(props.permission);
		openLinksBy((url) => void props.openLink(url));
		document.documentElement.lang = 'en';
		document.title = 'Beckon';
		// Expo's own forbids to zoom.
		document
			.querySelector('meta[name=viewport]')
			?.setAttribute('content', 'width=device-width, initial-scale=1, viewport-fit=cover');
		return {
			onDisconnected: () => void props.onDisconnected(),
			onLeft: () => void props.onLeft(),
		};
	});
	return <PairedPhone token={props.token} onDisconnected={onDisconnected} onLeft={onLeft} />;
}
