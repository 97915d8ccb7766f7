import { useOnline } from '../hooks/use-visible.ts';
import type { Connection } from '../../device/session.ts';
import { clockTime } from '../../device/times.ts';

export const CONNECTION_WORDS: Record<Connection, string> = {
	connecting: 'Connecting…',
	live: 'Live',
	reconnecting: 'Reconnecting…',
	offline: 'Offline',
};

interface StatusBarProps {
	carrier: string;
	connection: Connection;
	/** The time of the state shown, if it is not live. */
	asOf: number | undefined;
}

/** Shows the account in the carrier's place, a dot for the connection, and a pill while there is none. */
export function StatusBar({ carrier, connection, asOf }: StatusBarProps) {
	const isOffline = !useOnline() || connection === 'offline';
	return (
		<div className="status-bar">
			<span className="carrier">{carrier}</span>
			<span className="status-icons">
				<span
					className={`connection-dot ${connection === 'live' ? 'is-live' : 'is-searching'}`}
					data-connection={connection}
				/>
			</span>
			<p className="connection-pill" role="status" data-connection={connection}>
				{connection !== 'live' && (
					<>
						{!isOffline && <span className="spinner" />}
						<span>{CONNECTION_WORDS[isOffline ? 'offline' : connection]}</span>
						{asOf !== undefined && <span className="as-of">as of {clockTime(asOf)}</span>}
					</>
				)}
			</p>
		</div>
	);
}
