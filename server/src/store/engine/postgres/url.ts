/** The address of a database as people may see it: without password and parameters. */
export function shownUrl(url: string): string {
	const { protocol, username, host, pathname } = new URL(url);
	return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** Whether it can be the address of a PostgreSQL database. */
export function isPostgresUrl(url: string): boolean {
	return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
}
