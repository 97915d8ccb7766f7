/** The address of a database for display: without password and parameters. */
export function shownUrl(url: string): string {
	const { protocol, username, host, pathname } = new URL(url);
	return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** True for a plausible address of a PostgreSQL database. */
export function isPostgresUrl(url: string): boolean {
	return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
}
