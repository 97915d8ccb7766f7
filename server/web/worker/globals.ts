/** Browser features that TypeScript's library does not know (yet). */

/** A declarative push message carries the notification that the browser would show by itself. */
export interface DeclarativePushEvent extends PushEvent {
	notification?: Notification | null;
	appBadge?: number | null;
}

export interface SyncEvent extends ExtendableEvent {
	tag: string;
}

export interface SyncRegistration {
	sync?: { register(tag: string): Promise<void> };
}

export const worker = globalThis as unknown as ServiceWorkerGlobalScope;
