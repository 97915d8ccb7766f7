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
				{toWords(state)}
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

function toWords(state: PushState): string {
	switch (state.kind) {
		case 'on':
			return 'On, even when Beckon is closed.';
		case 'ask':
		case 'off':
			return 'Only while this page is open. Turn on to get them in the background.';
		case 'denied':
			return 'You have blocked them for this site. Allow them in the browser’s settings, then reopen this page.';
		case 'needs-install':
			return 'On iPhone and iPad: tap Share, then “Add to Home Screen”. Open Beckon from there and pair it with a new code.';
		case 'insecure':
			return 'Only while this page is open. Notifications in the background need HTTPS.';
		case 'unsupported':
			return 'Only while this page is open. This browser does not support Web Push.';
		case 'failed':
			return state.message;
		case 'checking':
			return '';
	}
}
