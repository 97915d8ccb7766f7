import type { AccountChange } from '../../delivery/open-pages.ts';
import type { Context } from '../context.ts';

/** Tells the account's open consoles to refresh. */
export function announceChange(
	context: Context,
	accountId: string,
	change: AccountChange = 'anything',
): void {
	context.openPages.accountChanged(accountId, change);
}

/** @returns a function that stops watching */
export function watchAccount(
	context: Context,
	accountId: string,
	notify: (change: AccountChange) => void,
): () => void {
	return context.openPages.watch(accountId, notify);
}
