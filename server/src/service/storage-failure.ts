import { errorCode, StoreUnavailableError } from '../store/errors.ts';

/** `unavailable`: nothing of the request was stored; `uncertain`: it may or may not have been stored. */
export type StorageFailure = 'unavailable' | 'uncertain';

/**
 * SQLite's temporary errors: the lock is held, disk or memory are full, the file currently cannot be reached or
 * written. SQLITE_ABORT: it has ended the transaction because of one of them. Any other is a bug in the program or
 * damage to the file, which a retry does not fix.
 */
const NOT_NOW = /^SQLITE_(ABORT|BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PROTOCOL|READONLY)(_|$)/;

/** Classifies an error of the store; undefined for any other error. */
export function toStorageFailure(error: unknown): StorageFailure | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	return NOT_NOW.test(errorCode(error)) ? 'unavailable' : undefined;
}
