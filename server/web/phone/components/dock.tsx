import { Glyph } from '../symbols/symbol.tsx';
import { AppIcon } from './app-icon.tsx';

interface DockProps {
	badge: number;
	canClear: boolean;
	onClear: () => void;
	onHome: () => void;
	onSettings: () => void;
}

const MAX_SHOWN = 9_999;

/** The app icon with its badge, between the two round buttons of a lock screen. */
export function Dock({ badge, canClear, onClear, onHome, onSettings }: DockProps) {
	return (
		<div className="dock">
			{/* A disabled button would lose focus. */}
			<button
				type="button"
				className="round-button"
				aria-label="Clear all notifications"
				title="Clear all notifications"
				aria-disabled={!canClear}
				onClick={canClear ? onClear : undefined}
			>
				<Glyph name="cross" />
			</button>
			<button
				type="button"
				className="home-icon"
				aria-label={badge === 0 ? 'Beckon, no badge' : `Beckon, badge ${badge}`}
				onClick={onHome}
			>
				<AppIcon />
				{badge > 0 && (
					<span className="app-badge" key={badge} data-testid="app-badge">
						{badge > MAX_SHOWN ? `${MAX_SHOWN.toLocaleString()}+` : badge.toLocaleString()}
					</span>
				)}
			</button>
			<button
				type="button"
				className="round-button"
				aria-label="Settings"
				title="Settings"
				onClick={onSettings}
			>
				<Glyph name="gear" />
			</button>
		</div>
	);
}
