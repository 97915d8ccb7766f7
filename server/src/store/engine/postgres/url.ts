/** Stands for the host that the address of a socket leaves out: `postgres://user@/name?host=/run/postgresql`. */
const NO_HOST = 'socket';

function parse(url: string): URL | null {
	return URL.parse(url) ?? URL.parse(url.replace('@/', `@${NO_HOST}/`));
}

/** The address of a database for display: without password and parameters, except for the folder of a socket. */
export function shownUrl(url: string): string {
	const { protocol, username, host, pathname, searchParams } = parse(url) ?? new URL(url);
	const user = username === '' ? '' : `${username}@`;
	const folder = searchParams.get('host');
	const place = folder === null ? '' : `?host=${folder}`;
	return `${protocol}//${user}${host === NO_HOST ? '' : host}${pathname}${place}`;
}

/** True for a plausible address of a PostgreSQL database. */
export function isPostgresUrl(url: string): boolean {
	return /^postgres(ql)?:\/\//.test(url) && parse(url) !== null;
}
