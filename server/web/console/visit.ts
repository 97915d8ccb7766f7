const SIGNED_IN = 'beckon-signed-in';

/** Whether the last visit here ended signed in: then the first page is loaded before the session is known. */
export function wasSignedIn(): boolean {
	return localStorage.getItem(SIGNED_IN) !== null;
}

export function rememberVisit(isSignedIn: boolean): void {
	if (isSignedIn) localStorage.setItem(SIGNED_IN, 'true');
	else localStorage.removeItem(SIGNED_IN);
}
