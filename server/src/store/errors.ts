/**
 * The code of an error of the store or the system, as `SQLITE_BUSY` or `ENOENT`; '' where it has none.
 * Asked by itself: a native library's errors need not be of this realm's Error class.
 */
export function codeOf(error: unknown): string {
	const hasCode = typeof error === 'object' && error !== null && 'code' in error;
	return hasCode ? String(error.code) : '';
}

/** A reason why the store cannot be opened, in words for the person who starts the server. */
export class StoreUnusableError extends Error {}

/** The store cannot be reached, or cannot take a write, at the moment. */
export class StoreUnavailableError extends Error {
	/**
	 * Whether what was written is not known to be stored or undone: the connection was lost while it
	 * was committed, and the store did not come back in time to be asked.
	 */
	readonly isUncertain: boolean;

	constructor(
		message: string,
		{ cause, isUncertain = false }: { cause?: unknown; isUncertain?: boolean } = {},
	) {
		super(message, { cause });
		this.isUncertain = isUncertain;
	}
}
