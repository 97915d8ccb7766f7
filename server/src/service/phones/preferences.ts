import type { Preferences, PreferencesRequest } from '../../contract/preferences.ts';
import { setPreferences, userById } from '../../store/people/users.ts';
import type { Context } from '../context.ts';
import type { Phone } from './pairing.ts';

const UNCHOSEN: Preferences = { seen_once: false, metrics: { order: [], hidden: [] } };

/** The choices of the phone's person. */
export function toPreferences({
	preferences_json: json,
}: Pick<Phone, 'preferences_json'>): Preferences {
	return json === null ? UNCHOSEN : (JSON.parse(json) as Preferences);
}

/** Changes the person's choices, on all of their phones. Omitted ones are kept. */
export function changePreferences(
	context: Context,
	device: Phone,
	change: PreferencesRequest,
): Promise<Preferences> {
	return context.database.write(device.account_id, async (db) => {
		const user = await userById(db, device.account_id, device.user_id);
		const preferences = { ...toPreferences(user ?? device), ...change };
		await setPreferences(db, device.user_id, JSON.stringify(preferences));
		return preferences;
	});
}
