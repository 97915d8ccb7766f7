import type { Connection } from '../session.ts';
import { Glyph } from '../symbols/symbol.tsx';

const WORDS: Record<Connection, string> = {
	connecting: 'Connecting…',
	live: 'Live',
	reconnecting: 'Reconnecting…',
};

export function connectionWords(connection: Connection): string {
	return WORDS[connection];
}

interface StatusBarProps {
	carrier: string;
	connection: Connection;
}

/** The account where a phone shows its carrier, and a pill that is there only while not connected. */
export function StatusBar({ carrier, connection }: StatusBarProps) {
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
						<span className="spinner" /> {connectionWords(connection)}
					</>
				)}
			</p>
		</div>
	);
}
