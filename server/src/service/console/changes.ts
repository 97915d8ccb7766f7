import type { Context } from '../context.ts';

/** Tells the account's open consoles to refresh. */
export function announceChange(context: Context, accountId: string): void {
	context.live.accountChanged(accountId);
}

/** @returns a function that stops watching */
export function watchAccount(context: Context, accountId: string, notify: () => void): () => void {
	return context.live.watch(accountId, notify);
}
