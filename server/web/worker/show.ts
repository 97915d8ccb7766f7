import { inTurn } from '../phone/system-notifications.ts';
import { worker } from './globals.ts';
import type { WorkerNotificationOptions } from './notification.ts';

/**
 * True in Safari, and in every browser on an iPhone or iPad. WebKit revokes the subscription of a page that
 * receives pushes without showing a notification; on iOS it ignores `tag`, `silent` and `renotify`.
 */
export function isWebKit(): boolean {
	const { userAgent } = worker.navigator;
	return userAgent.includes('AppleWebKit') && !/Chrom(e|ium)\//.test(userAgent);
}

/** Shows a notification in place of the one with its tag, which iOS would leave beside it. Call it in turn. */
export async function showInPlace(
	title: string,
	options: WorkerNotificationOptions,
): Promise<void> {
	const tag = tagOf(options.data);
	if (isWebKit() && tag !== undefined) await closeShown(tag);
	await worker.registration.showNotification(title, options);
}

/** Closes the notification with a tag. Call it in turn. */
export async function closeShown(tag: string): Promise<void> {
	for (const shown of await shownWith(tag)) shown.close();
}

/** True if another notification with the tag of `data` has taken its place. */
export async function isReplaced(data: unknown): Promise<boolean> {
	const tag = tagOf(data);
	return tag !== undefined && (await inTurn(() => shownWith(tag))).length > 0;
}

async function shownWith(tag: string): Promise<Notification[]> {
	const shown = await worker.registration.getNotifications();
	return shown.filter(({ data }) => tagOf(data) === tag);
}

function tagOf(data: unknown): string | undefined {
	return (data as { tag?: string } | null | undefined)?.tag;
}
