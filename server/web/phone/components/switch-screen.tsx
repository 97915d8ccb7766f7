import { AppIcon } from './app-icon.tsx';

interface SwitchScreenProps {
	currentName: string;
	onSwitch: () => void;
	onKeep: () => void;
}

/** A link must not silently turn this browser into another phone, so the person is asked. */
export function SwitchScreen({ currentName, onSwitch, onKeep }: SwitchScreenProps) {
	return (
		<main className="pairing">
			<AppIcon className="pairing-icon" />
			<h1>Use another phone?</h1>
			<p className="pairing-lead">
				This browser is paired as “{currentName}”. The link you opened is for another phone.
			</p>
			<div className="pairing-choice">
				<button type="button" className="primary-button" onClick={onSwitch}>
					Switch to that phone
				</button>
				<button type="button" className="text-button" onClick={onKeep}>
					Keep “{currentName}”
				</button>
			</div>
		</main>
	);
}
