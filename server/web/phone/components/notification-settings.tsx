import { useState } from 'react';
import type { Push } from '../hooks/use-push.ts';
import type { PushState } from '../push-registration.ts';
import { playSound } from '../sound.ts';
import type { Settings } from '../storage.ts';
import { Switch } from './switch.tsx';

interface NotificationSettingsProps {
	push: Push;
	settings: Settings | undefined;
	onSettings: (changes: Partial<Settings>) => void;
}

/** Settings for notifications while the page is closed, and for sound. */
export function NotificationSettings({ push, settings, onSettings }: NotificationSettingsProps) {
	const [isWorking, setIsWorking] = useState(false);
	const { state } = push;
	const canSwitch = ['ask', 'off', 'on', 'failed'].includes(state.kind);
	const toggle = async (isOn: boolean) => {
		setIsWorking(true);
		const change: Promise<unknown> = isOn ? push.turnOn() : push.turnOff();
		await change.catch(() => undefined);
		setIsWorking(false);
	};
	return (
		<section className="panel-part" aria-label="Notifications and sound">
			<Switch
				label="Notifications"
				isOn={state.kind === 'on'}
				isDisabled={!canSwitch || isWorking}
				onChange={(isOn) => void toggle(isOn)}
			/>
			<p className="panel-note" role="status">
				{state.kind === 'failed' ? state.message : WORDS[state.kind]}
			</p>
			<Switch
				label="Sound"
				isOn={settings?.sound ?? false}
				isDisabled={settings === undefined}
				onChange={(sound) => {
					onSettings({ sound });
					if (sound) playSound();
				}}
			/>
		</section>
	);
}

const CAN_TURN_ON = 'Only while this page is open. Turn on to get them in the background.';

const WORDS: Record<Exclude<PushState['kind'], 'failed'>, string> = {
	on: 'On, even when Beckon is closed.',
	ask: CAN_TURN_ON,
	off: CAN_TURN_ON,
	denied:
		'You have blocked them for this site. Allow them in the browser’s settings, then reopen this page.',
	'needs-install':
		'On iPhone and iPad: tap Share, then “Add to Home Screen”. Open Beckon from there and pair it with a new code.',
	insecure: 'Only while this page is open. Notifications in the background need HTTPS.',
	unsupported: 'Only while this page is open. This browser does not support Web Push.',
	checking: '',
};
