/** What the browser has and TypeScript's library does not know (yet). */

export interface WorkerNotificationOptions extends NotificationOptions {
	actions?: Array<{ action: string; title: string }>;
	image?: string;
	/** Makes a sound again although it replaces one of the same tag. */
	renotify?: boolean;
	timestamp?: number;
	vibrate?: number[];
}

/** A declarative push message brings the notification that the browser would show by itself. */
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
