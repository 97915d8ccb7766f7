import { useEffect, useState } from 'react';
import type { DeviceChannels } from '../../../src/contract/device.ts';
import { type DeviceClient, failureWords } from '../device-client.ts';
import { Switch } from './switch.tsx';

type Channel = DeviceChannels['channels'][number];

/** The channels that reach this phone. A muted one still adds to the history, silently. */
export function ChannelList({ client }: { client: DeviceClient }) {
	const [channels, setChannels] = useState<Channel[]>();
	const [error, setError] = useState('');

	useEffect(() => {
		let isCurrent = true;
		client
			.call('GET /channels')
			.then((answer) => isCurrent && setChannels(answer.channels))
			.catch((failure: unknown) => isCurrent && setError(failureWords(failure)));
		return () => {
			isCurrent = false;
		};
	}, [client]);

	const set = async (slug: string, muted: boolean) => {
		const put = (value: boolean) =>
			setChannels((current) =>
				current?.map((channel) => (channel.slug === slug ? { ...channel, muted: value } : channel)),
			);
		put(muted);
		setError('');
		try {
			await client.call('PUT /channels/:slug', slug, { muted });
		} catch (failure) {
			put(!muted);
			setError(failureWords(failure));
		}
	};

	if (channels?.length === 0) return null;
	return (
		<section className="panel-part" aria-label="Channels">
			<h3>Channels</h3>
			{channels?.map(({ slug, name, muted }) => (
				<Switch key={slug} label={name} isOn={!muted} onChange={(isOn) => void set(slug, !isOn)} />
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
