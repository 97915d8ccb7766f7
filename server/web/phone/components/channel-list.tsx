import type { Channels } from '../hooks/use-channels.ts';
import type { Settings, SoundFrom } from '../storage.ts';
import { Switch } from './switch.tsx';

const SOUNDS: Record<SoundFrom, string> = {
	active: 'Sound: always',
	'time-sensitive': 'Sound: Time Sensitive or Critical',
	critical: 'Sound: Critical only',
	none: 'Sound: never',
};

interface ChannelListProps {
	channels: Channels;
	settings: Settings | undefined;
	onSettings: (changes: Partial<Settings>) => void;
}

/** The channels that reach this phone. A muted one still adds to the history, silently. */
export function ChannelList({
	channels: { list, error, mute },
	settings,
	onSettings,
}: ChannelListProps) {
	if (list?.length === 0) return null;
	const sounds = settings?.channelSounds ?? {};
	return (
		<section className="panel-part" aria-label="Channels">
			<h3>Channels</h3>
			{list?.map(({ slug, name, muted }) => (
				<div key={slug}>
					<Switch label={name} isOn={!muted} onChange={(isOn) => mute(slug, !isOn)} />
					{!muted && (
						<select
							className="channel-sound"
							aria-label={`Sound of ${name}`}
							value={sounds[slug] ?? 'active'}
							onChange={({ target }) =>
								onSettings({
									channelSounds: { ...sounds, [slug]: target.value as SoundFrom },
								})
							}
						>
							{Object.entries(SOUNDS).map(([from, words]) => (
								<option key={from} value={from}>
									{words}
								</option>
							))}
						</select>
					)}
				</div>
			))}
			<p className="panel-note">
				Messages to muted channels go to History only, unless they also reach this phone another
				way.
			</p>
			<p className="panel-error" role="alert">
				{error}
			</p>
		</section>
	);
}
