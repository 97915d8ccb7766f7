import { HOUR_MS } from '../../durations.ts';
import { listMembers } from '../../store/people/members.ts';
import { devicesOfAccounts } from '../../store/phones/device-audience.ts';
import { findAccount } from '../accounts/accounts.ts';
import type { Context } from '../context.ts';
import { attempt, storeServerPushes, toServerPush } from '../sending/outgoing.ts';

/**
 * Sends status messages about the server to the owners' phones, each at most once an hour, whichever server
 * sends it.
 * @throws Refusal `not_found` if there is no such account, even without sentences
 */
export async function alertOwners(context: Context, account: string, sentences: readonly string[]) {
	const { rateWindows } = context.database;
	const { id: accountId } = await findAccount(context, account);
	for (const sentence of sentences) {
		const now = context.now();
		// The first sentence alone: servers may have failed for different reasons.
		const limit = { key: `told ${sentence.split('.')[0] ?? ''}`, quota: 1 };
		if (!(await rateWindows.consume([limit], HOUR_MS, now)).allowed) continue;
		const sent = await context.database.write(accountId, async (db) => {
			const members = await listMembers(db, accountId);
			const owners = members.filter(({ role }) => role === 'owner').map((owner) => owner.user_id);
			const phones = await devicesOfAccounts(db, { accountIds: [accountId] });
			const active = phones.filter(({ status }) => status === 'active');
			const devices = active.filter((phone) => owners.includes(phone.user_id));
			const push = {
				devices,
				content_json: JSON.stringify(toServerPush('Your Beckon server', sentence)),
			};
			return storeServerPushes(db, { accountId, title: sentence, now }, [push]);
		});
		await attempt(context, sent);
	}
}
