import { worker } from './globals.ts';

/** Put in by the build: everything that the page is made of, and a name for exactly that. */
declare const SHELL_FILES: string[];
declare const SHELL_VERSION: string;

const CACHE = `beckon-shell-${SHELL_VERSION}`;
const PAGE = '/phone';
const ASSETS = '/phone/assets/';

/** A network that takes longer than this to bring the page is as good as none. */
const PATIENCE_MS = 4_000;

/** Keeps the page for when there is no network. Fails whole where one file is missing. */
export async function keepShell(): Promise<void> {
	const cache = await caches.open(CACHE);
	await cache.addAll(SHELL_FILES.map((file) => new Request(file, { cache: 'reload' })));
}

/** What earlier versions kept. */
export async function forgetOldShells(): Promise<void> {
	for (const name of await caches.keys()) {
		if (name.startsWith('beckon-shell-') && name !== CACHE) await caches.delete(name);
	}
}

/**
 * Answers for the page's own files. The page itself comes from the network where there is one, so
 * that nobody is kept on an old version; its files have their content in their names and never change.
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
