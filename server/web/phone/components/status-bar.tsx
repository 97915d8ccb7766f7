import { useOnline } from '../hooks/use-visible.ts';
import type { Connection } from '../../device/session.ts';
import { Glyph } from '../symbols/symbol.tsx';

const WORDS: Record<Connection, string> = {
	connecting: 'Connecting…',
	live: 'Live',
	reconnecting: 'Reconnecting…',
	offline: 'Offline',
};

export function connectionWords(connection: Connection): string {
	return WORDS[connection];
}

interface StatusBarProps {
	carrier: string;
	connection: Connection;
	/** The time of the state shown, if it is not live. */
	asOf: number | undefined;
}

/** Shows the account in the carrier's place, and a pill while not connected. */
export function StatusBar({ carrier, connection, asOf }: StatusBarProps) {
	const isOffline = !useOnline() || connection === 'offline';
	return (
		<div className="status-bar">
			<span className="carrier">{carrier}</span>
			<span className="status-icons">
				<Glyph name="wifi" className={connection === 'live' ? 'is-live' : 'is-searching'} />
				<svg className="status-battery" viewBox="0 0 28 13" aria-hidden="true" focusable="false">
					<rect x="0.75" y="0.75" width="23" height="11.5" rx="3.6" />
					<rect className="status-charge" x="2.5" y="2.5" width="17" height="8" rx="2" />
					<path d="M25.8 4.5v4" />
				</svg>
			</span>
			<p className="connection-pill" role="status" data-connection={connection}>
				{connection !== 'live' && (
					<>
						{!isOffline && <span className="spinner" />}
						<span>{isOffline ? WORDS.offline : WORDS[connection]}</span>
						{asOf !== undefined && <span className="as-of">as of {asOfWords(asOf)}</span>}
					</>
				)}
			</p>
		</div>
	);
}

/** The time of day, with the day unless it is today. */
function asOfWords(at: number): string {
	const then = new Date(at);
	const isToday = then.toDateString() === new Date().toDateString();
	const time = { hour: '2-digit', minute: '2-digit' } as const;
	return isToday
		? then.toLocaleTimeString([], time)
		: then.toLocaleString([], { ...time, day: 'numeric', month: 'short' });
}
