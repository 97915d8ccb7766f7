import { worker } from './globals.ts';

/** Inserted by the build: the page's files, and a version derived from exactly those. */
declare const SHELL_FILES: string[];
declare const SHELL_VERSION: string;

const CACHE = `beckon-shell-${SHELL_VERSION}`;
const PAGE = '/phone';
const ASSETS = '/phone/assets/';

/** Milliseconds for the network to deliver the page; a slower one counts as none. */
const PATIENCE_MS = 4_000;

/** Keeps the page for when there is no network. Fails as a whole if one file is missing. */
export async function keepShell(): Promise<void> {
	const cache = await caches.open(CACHE);
	await cache.addAll(SHELL_FILES.map((file) => new Request(file, { cache: 'reload' })));
}

/** Deletes the files kept by earlier versions. */
export async function forgetOldShells(): Promise<void> {
	for (const name of await caches.keys()) {
		if (name.startsWith('beckon-shell-') && name !== CACHE) await caches.delete(name);
	}
}

/**
 * Answers requests for the page's own files. The page itself comes from the network if there is one, so
 * no one stays on an old version; its files have their content's hash in their names and never change.
 * @returns undefined for everything else, which the browser fetches as if there were no worker
 */
export function answer({ method, url: address }: Request): Promise<Response> | undefined {
	const url = new URL(address);
	if (method !== 'GET' || url.origin !== worker.location.origin) return undefined;
	if (url.pathname.startsWith(ASSETS)) return fromCacheFirst(url.pathname);
	const isShell = url.pathname === PAGE || SHELL_FILES.includes(url.pathname);
	return isShell ? fromNetworkFirst(url.pathname) : undefined;
}

async function fromCacheFirst(path: string): Promise<Response> {
	return (await kept(path)) ?? fetch(path);
}

async function fromNetworkFirst(path: string): Promise<Response> {
	try {
		const response = await fetch(path, { signal: AbortSignal.timeout(PATIENCE_MS) });
		if (response.ok) return response;
		return (await kept(path)) ?? response;
	} catch (error) {
		const copy = await kept(path);
		if (copy) return copy;
		throw error;
	}
}

async function kept(path: string): Promise<Response | undefined> {
	return (await caches.open(CACHE)).match(path);
}
