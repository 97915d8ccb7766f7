import { describe, expect, it } from '@jest/globals';
import { isSilenced } from '../../web/phone/channel-sounds.ts';
import type { SoundFrom } from '../../web/phone/storage.ts';

type Level = Parameters<typeof isSilenced>[0]['interruption_level'];

describe('a push is silent on a phone', () => {
	it.each<[string, string[] | undefined, Level, Record<string, SoundFrom> | undefined, boolean]>([
		['without settings: no', ['ops'], 'active', undefined, false],
		['without a channel: no', undefined, 'active', { ops: 'none' }, false],
		['in a silent channel: yes', ['ops'], 'critical', { ops: 'none' }, true],
		['below the level of its channel: yes', ['ops'], 'active', { ops: 'time-sensitive' }, true],
		[
			'at the level of its channel: no',
			['ops'],
			'time-sensitive',
			{ ops: 'time-sensitive' },
			false,
		],
		['above it: no', ['ops'], 'critical', { ops: 'time-sensitive' }, false],
		['where another channel makes a sound: no', ['ops', 'shop'], 'active', { ops: 'none' }, false],
		['where none does: yes', ['ops', 'shop'], 'active', { ops: 'none', shop: 'critical' }, true],
	])('%s', (_when, channels, interruption_level, sounds, expected) => {
		expect(isSilenced({ channels, interruption_level }, sounds)).toBe(expected);
	});
});
