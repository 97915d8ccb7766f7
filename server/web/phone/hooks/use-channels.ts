import { useEffect, useState } from 'react';
import type { DeviceChannels } from '../../../src/contract/device.ts';
import { type DeviceClient, failureWords } from '../../device/device-client.ts';

export type Channel = DeviceChannels['channels'][number];

export interface Channels {
	/** Those that reach this phone; undefined until the server has answered. */
	list: readonly Channel[] | undefined;
	error: string;
	mute: (slug: string, muted: boolean) => void;
}

/** “Team 3” before “Team 29”. */
const { compare } = new Intl.Collator(undefined, { numeric: true });
const byName = (a: Channel, b: Channel) => compare(a.name, b.name);

/**
 * The channels of this phone, fetched once for all who show them.
 * @param occasion fetched again when it changes; undefined: the server cannot be reached
 */
export function useChannels(client: DeviceClient, occasion: string | undefined): Channels {
	const [list, setList] = useState<Channel[]>();
	const [error, setError] = useState('');
	useEffect(() => {
		if (occasion === undefined) return undefined;
		let isCurrent = true;
		client
			.call('GET /channels')
			.then(({ channels }) => isCurrent && setList(channels.sort(byName)))
			.catch((failure: unknown) => isCurrent && setError(failureWords(failure)));
		return () => {
			isCurrent = false;
		};
	}, [client, occasion]);

	const mute = (slug: string, muted: boolean) => {
		const put = (value: boolean) =>
			setList((current) =>
				current?.map((channel) => (channel.slug === slug ? { ...channel, muted: value } : channel)),
			);
		put(muted);
		setError('');
		client.call('PUT /channels/:slug', slug, { muted }).catch((failure: unknown) => {
			put(!muted);
			setError(failureWords(failure));
		});
	};
	return { list, error, mute };
}
