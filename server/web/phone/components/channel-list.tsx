import { useState } from 'react';
import { INTERRUPTION_LEVELS } from '../../../src/contract/values.ts';
import type { Channels } from '../hooks/use-channels.ts';
import type { QuietState } from '../hooks/use-quiet.ts';
import type { Settings, SoundFrom } from '../storage.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { PanelError } from './panel-error.tsx';
import { LEVELS } from './quiet-settings.tsx';
import { Switch } from './switch.tsx';

const SOUNDS: Record<SoundFrom, string> = {
	active: 'Sound: always',
	'time-sensitive': 'Sound: Time Sensitive or Critical',
	critical: 'Sound: Critical only',
	none: 'Sound: never',
};

interface ChannelListProps {
	channels: Channels;
	quiet: QuietState;
	settings: Settings | undefined;
	onSettings: (changes: Partial<Settings>) => void;
}

/** Up to this many channels are all expanded; with more, each expands on a tap. */
const FEW = 3;
/** More channels than this get a search field. */
const MANY = 8;

/** The channels that reach this phone, by name. A muted one still adds to the history, silently. */
export function ChannelList({
	channels: { list, error, mute },
	quiet,
	settings,
	onSettings,
}: ChannelListProps) {
	const [search, setSearch] = useState('');
	const [opened, setOpened] = useState<string>();
	if (list?.length === 0) return null;
	const sounds = settings?.channelSounds ?? {};
	const words = search.trim().toLowerCase();
	const found = list?.filter(({ name }) => name.toLowerCase().includes(words));
	return (
		<section className="panel-part" aria-label="Channels">
			<h3>Channels</h3>
			{list && list.length > MANY && (
				<input
					type="search"
					className="channel-choice"
					aria-label="Search channels"
					placeholder={`Search ${list.length.toLocaleString()} channels`}
					value={search}
					onChange={({ target }) => setSearch(target.value)}
				/>
			)}
			{found?.map(({ slug, name, muted }) => (
				<div key={slug} className="channel">
					<Switch label={name} isOn={!muted} onChange={(isOn) => mute(slug, !isOn)} />
					{list && list.length > FEW && !muted && (
						<button
							type="button"
							className="expand-button"
							aria-expanded={opened === slug}
							aria-label={`Levels of ${name}`}
							onClick={() => setOpened(opened === slug ? undefined : slug)}
						>
							<Glyph name="chevron" />
						</button>
					)}
					{!muted && (opened === slug || (list && list.length <= FEW)) && (
						<>
							<LevelChoice slug={slug} name={name} {...quiet} />
							<select
								className="channel-choice channel-sound"
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
						</>
					)}
				</div>
			))}
			{found?.length === 0 && <p role="status">No channel is called that.</p>}
			<p className="panel-note">
				Messages to muted channels go to History only, unless they also reach this phone another
				way. Those below a channel’s level appear here silently.
			</p>
			<PanelError words={error} />
		</section>
	);
}

/** From which level on a channel's messages notify; the server keeps it. */
function LevelChoice({ slug, name, quiet, change }: QuietState & { slug: string; name: string }) {
	if (quiet === undefined) return null;
	const { [slug]: own, ...others } = quiet.channel_levels ?? {};
	return (
		<select
			className="channel-choice"
			aria-label={`Notify about ${name}`}
			value={own ?? ''}
			onChange={({ target }) => {
				const level = INTERRUPTION_LEVELS.find((one) => one === target.value);
				change({ channel_levels: level ? { ...others, [slug]: level } : others });
			}}
		>
			<option value="">Notify: as set under Quiet</option>
			{INTERRUPTION_LEVELS.map((level) => (
				<option key={level} value={level}>
					Notify: {LEVELS[level]}
				</option>
			))}
		</select>
	);
}
