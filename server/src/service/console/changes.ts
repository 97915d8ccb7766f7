import type { Context } from '../context.ts';

/** Tells the account's open consoles that something may have changed. */
export function announceChange(context: Context, accountId: string): void {
	context.live.accountChanged(accountId);
}

/** @returns how to stop */
export function watchAccount(context: Context, accountId: string, notify: () => void): () => void {
	return context.live.watch(accountId, notify);
}
