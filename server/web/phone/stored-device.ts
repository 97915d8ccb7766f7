/** This browser's stored phone token, and the links that carry one. */
import { readCode } from '../device/pairing-code.ts';

const KEY = 'beckon.device';

/** If the browser refuses storage (some private windows), the pairing lasts as long as the page. */
let unstored: string | undefined;

export function loadToken(): string | undefined {
	try {
		return localStorage.getItem(KEY) ?? unstored;
	} catch {
		return unstored;
	}
}

export function saveToken(token: string): void {
	unstored = token;
	try {
		localStorage.setItem(KEY, token);
	} catch {
		// Kept in memory only.
	}
}

/** Deletes `token`, unless another tab has paired again in the meantime. */
export function forgetToken(token: string): void {
	unstored = undefined;
	try {
		if (localStorage.getItem(KEY) === token) localStorage.removeItem(KEY);
	} catch {
		// Nothing to remove.
	}
}

/** Calls back when another tab pairs or disconnects this phone. @returns a function that stops it */
export function onTokenChange(listener: (token: string | undefined) => void): () => void {
	const onStorage = (event: StorageEvent) => {
		if (event.key === KEY || event.key === null) listener(event.newValue ?? undefined);
	};
	window.addEventListener('storage', onStorage);
	return () => window.removeEventListener('storage', onStorage);
}

export interface PhoneLink {
	code?: string;
	token?: string;
}

/** Reads `code=ABCD1234` or `token=bd_…` out of a URL's fragment. */
export function parseLink(hash: string): PhoneLink {
	const parameters = new URLSearchParams(hash.replace(/^#/, ''));
	const code = readCode(parameters.get('code') ?? '');
	const token = parameters.get('token')?.trim();
	return {
		...(code && { code }),
		...(token && /^bd_[A-Za-z0-9_-]{20,}$/.test(token) && { token }),
	};
}

/** Takes the link, a secret, and removes it from the address bar and the browser's history. */
export function takeLink(): PhoneLink {
	const link = parseLink(location.hash);
	if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
	return link;
}
