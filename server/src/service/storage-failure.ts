import { StoreUnavailableError } from '../store/errors.ts';

/**
 * What a request ran into at the store. `unavailable`: nothing of it was stored; `uncertain`: it is
 * not known whether it was. undefined: the error is another one.
 */
export function storageFailureOf(error: unknown): 'unavailable' | 'uncertain' | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	// By its code alone: a native library's errors need not be of this realm's Error class.
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
	return String(code).startsWith('SQLITE_') ? 'unavailable' : undefined;
}
