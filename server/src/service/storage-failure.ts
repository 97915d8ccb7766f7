import { errorCode, StoreUnavailableError } from '../store/errors.ts';

/** `unavailable`: nothing of the request was stored; `uncertain`: it may or may not have been stored. */
export type StorageFailure = 'unavailable' | 'uncertain';

/**
 * SQLite's errors that may be over at the next attempt: the lock is held, disk or memory are full, the file cannot
 * be reached or written at the moment. SQLITE_ABORT: it has ended the transaction because of one of them. Any other
 * is a mistake of the program or damage to the file, which trying again does not help.
 */
const NOT_NOW = /^SQLITE_(ABORT|BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PROTOCOL|READONLY)(_|$)/;

/** Classifies an error of the store; undefined for any other error. */
export function toStorageFailure(error: unknown): StorageFailure | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	return NOT_NOW.test(errorCode(error)) ? 'unavailable' : undefined;
}
