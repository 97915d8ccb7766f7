import { pageClient } from '../phone/page-client.ts';
import { ensureSubscription } from '../phone/push-subscription.ts';
import { load } from '../phone/storage.ts';
import { worker } from './globals.ts';

/** The browser has replaced or dropped its subscription: subscribes again and tells the server. */
export async function renewSubscription(): Promise<void> {
	const token = await load('token');
	if (token !== undefined)
		await ensureSubscription(pageClient(token), worker.registration.pushManager);
}
