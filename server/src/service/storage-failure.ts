import { codeOf, StoreUnavailableError } from '../store/errors.ts';

/** `unavailable`: nothing of the request was stored; `uncertain`: it is not known whether it was. */
export type StorageFailure = 'unavailable' | 'uncertain';

/** What a request ran into at the store; undefined when the error is another one. */
export function storageFailureOf(error: unknown): StorageFailure | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	return codeOf(error).startsWith('SQLITE_') ? 'unavailable' : undefined;
}
