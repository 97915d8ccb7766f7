import type { FirstSteps } from '../../contract/console/resources.ts';
import { listApiKeys } from '../../store/keys-and-channels/api-keys.ts';
import { hasHistory } from '../../store/history/history.ts';
import { listDevices } from '../../store/phones/devices.ts';
import type { Context } from '../context.ts';
import { whyNothingWakes } from '../phones/reach.ts';

/** The steps of the first day that the account has taken, as its data shows them. */
export async function firstSteps(context: Context, accountId: string): Promise<FirstSteps> {
	const db = context.database.read;
	const [devices, keys, sent] = await Promise.all([
		listDevices(db, accountId),
		listApiKeys(db, accountId),
		hasHistory(db, accountId),
	]);
	const paired = devices.filter(({ status }) => status === 'active');
	return {
		phone: paired.length > 0,
		notifications: paired.some((device) => whyNothingWakes(context, device) === undefined),
		sent,
		workflow: keys.some(({ kind, last_used_at: used }) => kind === 'api' && used !== null),
	};
}
