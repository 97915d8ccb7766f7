/**
 * The code of an error of the store or the system, such as `SQLITE_BUSY` or `ENOENT`; '' if it has none.
 * Checks the property alone: a native library's errors may not be of this realm's Error class.
 */
export function errorCode(error: unknown): string {
	const hasCode = typeof error === 'object' && error !== null && 'code' in error;
	return hasCode ? String(error.code) : '';
}

/** The reason the store cannot be opened, copied or restored, as a message for the person who typed the command. */
export class StoreUnusableError extends Error {}

/** The store currently cannot be reached or written. */
export class StoreUnavailableError extends Error {
	/**
	 * True if the outcome of the write is unknown: the connection was lost during the commit, and the store
	 * did not come back in time to be asked.
	 */
	readonly isUncertain: boolean;

	constructor(message: string, options: { cause?: unknown; isUncertain?: boolean } = {}) {
		super(message, { cause: options.cause });
		this.isUncertain = options.isUncertain ?? false;
	}
}
