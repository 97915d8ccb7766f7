import { useCallback, useEffect, useRef, useState } from 'react';
import type { Quiet, QuietMuteRequest, QuietRequest } from '../../../src/contract/quiet.ts';
import { type DeviceClient, failureWords } from '../../device/device-client.ts';
import { ownTimeZone } from '../../device/times.ts';

export interface QuietState {
	/** Undefined until the server has answered. */
	quiet: Quiet | undefined;
	error: string;
	change: (changes: Partial<QuietRequest>) => void;
	mute: (mute: QuietMuteRequest['mute']) => void;
}

/**
 * When this phone is quiet, as the server keeps it.
 * @param asOf fetched again when it changes; undefined: the server cannot be reached yet
 */
export function useQuiet(client: DeviceClient, asOf: string | undefined): QuietState {
	const [quiet, setQuiet] = useState<Quiet>();
	const [error, setError] = useState('');
	/** Each change builds on the one before it, answered or not. */
	const latest = useRef<Quiet>(undefined);
	/** The server's last answer. */
	const stored = useRef<Quiet>(undefined);
	const asked = useRef(0);

	/** Shows the answer, unless another one was requested meanwhile. */
	const show = useCallback(async (answer: Promise<Quiet>) => {
		asked.current += 1;
		const mine = asked.current;
		try {
			const shown = await answer;
			if (mine !== asked.current) return;
			stored.current = shown;
			setError('');
		} catch (failure) {
			if (mine !== asked.current) return;
			setError(failureWords(failure));
		}
		latest.current = stored.current;
		setQuiet(stored.current);
	}, []);
	useEffect(() => {
		if (asOf !== undefined) void show(client.call('GET /quiet'));
	}, [client, asOf, show]);

	const change = (changes: Partial<QuietRequest>) => {
		if (!latest.current) return;
		const next = { ...latest.current, ...changes };
		latest.current = next;
		setQuiet(next);
		const { muted_until: _muted, quiet_until: _until, ...settings } = next;
		void show(client.call('PUT /quiet', { ...settings, time_zone: ownTimeZone() }));
	};
	const mute = (mute: QuietMuteRequest['mute']) =>
		void show(client.call('PUT /quiet/mute', { mute, time_zone: ownTimeZone() }));
	return { quiet, error, change, mute };
}
