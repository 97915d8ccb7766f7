import { memo } from 'react';
import { toCapabilities } from '../capabilities.ts';
import { isInstalled, pushEnvironment, type PushState } from '../push-registration.ts';
import { Glyph } from '../symbols/symbol.tsx';

const MARKS = { yes: 'check', partly: 'minus', no: 'cross' } as const;
const WORDS = { yes: 'Yes', partly: 'Partly', no: 'No' } as const;

/** Lists this browser's capabilities and limits as a phone. */
export const CapabilityList = memo(Capabilities);

function Capabilities({ push, canInstall }: { push: PushState; canInstall: boolean }) {
	const capabilities = toCapabilities({
		push: push.kind,
		isIos: pushEnvironment().isIos,
		isInstalled: isInstalled(),
		canInstall,
		hasBadge: 'setAppBadge' in navigator,
		maxActions: maxActions(),
		canVibrate: 'vibrate' in navigator,
		hasWorker: 'serviceWorker' in navigator,
	});
	return (
		<details className="panel-part capabilities">
			<summary>What this browser supports</summary>
			<ul>
				{capabilities.map(({ name, can, words }) => (
					<li key={name} data-can={can}>
						<Glyph name={MARKS[can]} />
						<p>
							<strong>{name}</strong>
							<span className="visually-hidden">: {WORDS[can]}. </span>
							<span className="capability-words">{words}</span>
						</p>
					</li>
				))}
			</ul>
		</details>
	);
}

function maxActions(): number | undefined {
	if (!('Notification' in window) || !('maxActions' in Notification)) return undefined;
	return Number(Notification.maxActions);
}
