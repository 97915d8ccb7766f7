import { useCallback, useEffect, useRef, useState } from 'react';
import type { Delivery } from '../../../src/contract/device.ts';
import { type DeviceClient, DeviceError, failureWords } from '../../device/device-client.ts';
import { load as loadSaved, save } from '../storage.ts';
import { fullTime } from '../../device/relative-time.ts';

/** Pause in typing before a search, in milliseconds. */
const SEARCH_AFTER_MS = 250;

/** Search conditions for the history; an empty one matches anything. */
export interface HistoryFilter {
	search: string;
	channel: string;
	tag: string;
	level: string;
}

export interface History {
	entries: Delivery[];
	isLoading: boolean;
	error: string;
	/** Undefined: there are no older entries. */
	loadMore: (() => void) | undefined;
}

/** True if a saved entry fits the filter. */
function isFound(entry: Delivery, { search, channel, tag, level }: HistoryFilter): boolean {
	const push = 'push' in entry ? entry.push : undefined;
	const text = JSON.stringify(push ?? entry).toLowerCase();
	return (
		search
			.toLowerCase()
			.split(/\s+/)
			.every((word) => text.includes(word)) &&
		(channel === '' || (push?.channels ?? []).includes(channel)) &&
		(tag === '' || (push?.tags ?? []).some((one) => one.includes(tag))) &&
		(level === '' || push?.interruption_level === level)
	);
}

/** The history loaded so far that fits the filter; without a network, what was last seen of it. */
export function useHistory(client: DeviceClient, filter: HistoryFilter): History {
	const { search, channel, tag, level } = filter;
	const [entries, setEntries] = useState<Delivery[]>([]);
	const [before, setBefore] = useState<number | null>(null);
	const [isLoading, setIsLoading] = useState(true);
	const [error, setError] = useState('');
	// A late answer to an earlier request must not replace a later one's.
	const question = useRef(0);

	const load = useCallback(
		async (from: number | undefined) => {
			question.current += 1;
			const asked = question.current;
			setIsLoading(true);
			setError('');
			try {
				const older = from === undefined ? '' : String(from);
				const query = Object.entries({ search, channel, tag_part: tag, level, before: older });
				const asking = new URLSearchParams(query.filter(([, value]) => value !== ''));
				const page = await client.call('GET /history', asking);
				if (asked !== question.current) return;
				setEntries((current) =>
					from === undefined ? page.deliveries : [...current, ...page.deliveries],
				);
				setBefore(page.before);
				const isWhole = search + channel + tag + level === '' && from === undefined;
				if (isWhole) void save('history', { at: Date.now(), entries: page.deliveries });
			} catch (failure) {
				const isOffline = failure instanceof DeviceError && failure.status === 0;
				const saved = isOffline && from === undefined ? await loadSaved('history') : undefined;
				if (asked !== question.current) return;
				if (saved) {
					setEntries(
						saved.entries.filter((entry) => isFound(entry, { search, channel, tag, level })),
					);
					setBefore(null);
				}
				const asOf = saved && fullTime(new Date(saved.at).toISOString());
				const what = asOf ? ` Shown are the newest entries as of ${asOf}.` : '';
				setError(failureWords(failure) + what);
			}
			setIsLoading(false);
		},
		[client, search, channel, tag, level],
	);

	useEffect(() => {
		const timer = setTimeout(() => void load(undefined), search + tag === '' ? 0 : SEARCH_AFTER_MS);
		return () => clearTimeout(timer);
	}, [load, search, tag]);

	const loadMore = before === null ? undefined : () => void load(before);
	return { entries, isLoading, error, loadMore };
}
