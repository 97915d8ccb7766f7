import { errorCode, StoreUnavailableError } from '../store/errors.ts';

/** `unavailable`: nothing of the request was stored; `uncertain`: it may or may not have been stored. */
export type StorageFailure = 'unavailable' | 'uncertain';

/** Classifies an error of the store; undefined for any other error. */
export function toStorageFailure(error: unknown): StorageFailure | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	return errorCode(error).startsWith('SQLITE_') ? 'unavailable' : undefined;
}
