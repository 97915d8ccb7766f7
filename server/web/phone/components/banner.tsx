import { useEffect, useState } from 'react';
import { tint } from '../colors.ts';
import type { Attention } from '../../device/attention.ts';
import { Glyph, Symbol } from '../symbols/symbol.tsx';

const SHOWN_FOR = 6_000;

/** An activity's alert, dropping from the top of the screen. The card itself stays in place. */
export function Banner({ attention }: { attention: Attention | undefined }) {
	const [closedId, setClosedId] = useState(0);
	const alert = attention?.kind === 'alert' && attention.id !== closedId ? attention : undefined;
	const alertId = alert?.id;

	useEffect(() => {
		if (alertId === undefined) return undefined;
		const timer = setTimeout(() => setClosedId(alertId), SHOWN_FOR);
		return () => clearTimeout(timer);
	}, [alertId]);

	if (alert === undefined) return null;
	const state = alert.activity?.content_state;
	return (
		<button type="button" className="banner" key={alert.id} onClick={() => setClosedId(alert.id)}>
			<span className={`banner-icon ${tint(state?.icon?.color, state?.color)}`}>
				{state?.icon ? <Symbol name={state.icon.symbol} /> : <Glyph name="bell" />}
			</span>
			<span className="banner-text">
				<span className="banner-title" dir="auto">
					{alert.title}
				</span>
				{alert.body && (
					<span className="banner-body" dir="auto">
						{alert.body}
					</span>
				)}
			</span>
			<span className="visually-hidden">Close</span>
		</button>
	);
}
