import { useRef, useState } from 'react';
import type { Preferences } from '../../../src/contract/device.ts';
import { failureWords } from '../../device/device-client.ts';
import type { Channels } from '../hooks/use-channels.ts';
import { useKeptFocus } from '../hooks/use-kept-focus.ts';
import type { Phone } from '../hooks/use-phone.ts';
import type { Push } from '../hooks/use-push.ts';
import type { Settings } from '../storage.ts';
import type { QuietState } from '../hooks/use-quiet.ts';
import { CapabilityList } from './capability-list.tsx';
import { ChannelList } from './channel-list.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { PanelError, usePanelError } from './panel-error.tsx';
import { QuietSettings } from './quiet-settings.tsx';
import { CONNECTION_WORDS } from './status-bar.tsx';
import { Switch } from './switch.tsx';

interface DevicePanelProps {
	phone: Phone;
	channels: Channels;
	push: Push;
	quiet: QuietState;
	/** Undefined if the browser does not offer to install the page. */
	install: (() => void) | undefined;
	settings: Settings | undefined;
	onSettings: (changes: Partial<Settings>) => void;
	/** Rejects if the server cannot be reached. */
	onDisconnect: () => Promise<void>;
}

/** The phone's owner, settings and capabilities, and the button to disconnect. */
export function DevicePanel({
	phone,
	channels,
	push,
	quiet,
	install,
	settings,
	onSettings,
	onDisconnect,
}: DevicePanelProps) {
	const { state, connection } = phone;
	const device = state?.device;
	return (
		<section className="panel" aria-label="Settings">
			<h2>{device?.name ?? 'This phone'}</h2>
			<dl>
				<div>
					<dt>Account</dt>
					<dd>{device?.account.name ?? '…'}</dd>
				</div>
				<div>
					<dt>Belongs to</dt>
					<dd>{device?.user.name ?? '…'}</dd>
				</div>
				<div>
					<dt>Connection</dt>
					<dd>
						<span className="connection-dot" data-connection={connection} />{' '}
						{CONNECTION_WORDS[connection]}
					</dd>
				</div>
			</dl>
			<NotificationSettings push={push} settings={settings} onSettings={onSettings} />
			<ClearBadge badge={state?.badge ?? 0} onClear={phone.clearBadge} />
			<QuietSettings {...quiet} />
			{state && <PersonSettings preferences={state.preferences} onChoose={phone.choose} />}
			<ChannelList channels={channels} quiet={quiet} settings={settings} onSettings={onSettings} />
			<CapabilityList push={push.state} canInstall={install !== undefined} />
			{install && (
				<button type="button" className="panel-button" onClick={install}>
					Install as an app
				</button>
			)}
			<Disconnect onDisconnect={onDisconnect} />
		</section>
	);
}

interface PersonSettingsProps {
	preferences: Preferences;
	onChoose: Phone['choose'];
}

/** The settings that apply to all phones of the person. */
function PersonSettings({ preferences, onChoose }: PersonSettingsProps) {
	const [error, follow] = usePanelError();
	return (
		<section className="panel-part" aria-label="All your phones">
			<h3>All your phones</h3>
			<Switch
				label="Dismiss everywhere"
				isOn={preferences.seen_once}
				onChange={(isOn) => follow(onChoose({ seen_once: isOn }))}
			/>
			<p className="panel-note">
				Dismissing something here also dismisses it on your other phones.
			</p>
			{error}
		</section>
	);
}

/** Clears a badge whose sender does not take it back. */
function ClearBadge({ badge, onClear }: { badge: number; onClear: () => Promise<void> }) {
	const [error, follow] = usePanelError();
	const part = useRef<HTMLElement>(null);
	useKeptFocus(part, badge === 0);
	return (
		<section className="panel-part" aria-label="Badge" ref={part}>
			{badge > 0 && (
				<button type="button" className="panel-button" onClick={() => follow(onClear())}>
					Clear the badge ({badge.toLocaleString()})
				</button>
			)}
			{error}
		</section>
	);
}

/** Asks for confirmation in place: pairing again needs a new code. */
function Disconnect({ onDisconnect }: { onDisconnect: () => Promise<void> }) {
	const [step, setStep] = useState<'idle' | 'asking' | 'working'>('idle');
	const [error, setError] = useState('');
	const foot = useRef<HTMLDivElement>(null);
	useKeptFocus(foot, step);

	const disconnect = async () => {
		setStep('working');
		setError('');
		try {
			await onDisconnect();
		} catch (failure) {
			setError(failureWords(failure));
			setStep('idle');
		}
	};

	return (
		<div className="panel-foot" ref={foot}>
			{step === 'idle' ? (
				<button type="button" className="text-button" onClick={() => setStep('asking')}>
					Disconnect this phone
				</button>
			) : (
				<div className="panel-ask" role="group" aria-label="Disconnect this phone?">
					<p>It will receive nothing until it is paired again.</p>
					<button
						type="button"
						className="text-button is-danger"
						disabled={step === 'working'}
						onClick={() => void disconnect()}
					>
						Disconnect
					</button>
					<button
						type="button"
						className="text-button"
						disabled={step === 'working'}
						onClick={() => setStep('idle')}
					>
						Cancel
					</button>
				</div>
			)}
			<PanelError words={error} />
		</div>
	);
}
