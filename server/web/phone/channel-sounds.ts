import type { Notification as Push } from '../../src/contract/shown.ts';
import { INTERRUPTION_LEVELS } from '../../src/contract/values.ts';
import type { Settings } from './storage.ts';

/** True if every channel of the push is set to make no sound at its level. Without a channel, it makes one. */
export function isSilenced(
	{ channels = [], interruption_level: level }: Pick<Push, 'channels' | 'interruption_level'>,
	sounds: Settings['channelSounds'],
): boolean {
	const rank = (one: string) => INTERRUPTION_LEVELS.findIndex((known) => known === one);
	const isSilent = (slug: string) => {
		const from = new Map(Object.entries(sounds ?? {})).get(slug) ?? 'active';
		return from === 'none' || rank(level) < rank(from);
	};
	return channels.length > 0 && channels.every(isSilent);
}
