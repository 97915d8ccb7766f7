import { useRef, useState } from 'react';
import type { Device, Preferences, PreferencesRequest } from '../../../src/contract/device.ts';
import { failureWords } from '../../device/device-client.ts';
import type { Channels } from '../hooks/use-channels.ts';
import { useKeptFocus } from '../hooks/use-kept-focus.ts';
import type { Push } from '../hooks/use-push.ts';
import type { Connection } from '../../device/session.ts';
import type { Settings } from '../storage.ts';
import type { QuietState } from '../hooks/use-quiet.ts';
import { CapabilityList } from './capability-list.tsx';
import { ChannelList } from './channel-list.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { QuietSettings } from './quiet-settings.tsx';
import { connectionWords } from './status-bar.tsx';
import { Switch } from './switch.tsx';

interface DevicePanelProps {
	device: Device | undefined;
	preferences: Preferences | undefined;
	/** Rejects if the choice cannot be stored. */
	onChoose: (change: PreferencesRequest) => Promise<void>;
	connection: Connection;
	channels: Channels;
	push: Push;
	quiet: QuietState;
	/** Undefined if the browser does not offer to install the page. */
	install: (() => void) | undefined;
	settings: Settings | undefined;
	onSettings: (changes: Partial<Settings>) => void;
	badge: number;
	/** Rejects if the server cannot be reached. */
	onClearBadge: () => Promise<void>;
	onDisconnect: () => Promise<void>;
}

/** The phone's owner, settings and capabilities, and the button to disconnect. */
export function DevicePanel({
	device,
	preferences,
	onChoose,
	connection,
	channels,
	push,
	quiet,
	install,
	settings,
	onSettings,
	badge,
	onClearBadge,
	onDisconnect,
}: DevicePanelProps) {
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
						{connectionWords(connection)}
					</dd>
				</div>
			</dl>
			<NotificationSettings push={push} settings={settings} onSettings={onSettings} />
			<ClearBadge badge={badge} onClear={onClearBadge} />
			<QuietSettings {...quiet} />
			<PersonSettings preferences={preferences} onChoose={onChoose} />
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

/** The settings that apply to all phones of the person. */
function PersonSettings({
	preferences,
	onChoose,
}: Pick<DevicePanelProps, 'preferences' | 'onChoose'>) {
	const [error, setError] = useState('');
	if (preferences === undefined) return null;
	const choose = (change: PreferencesRequest) => {
		setError('');
		onChoose(change).catch((failure: unknown) => setError(failureWords(failure)));
	};
	return (
		<section className="panel-part" aria-label="All your phones">
			<h3>All your phones</h3>
			<Switch
				label="Dismiss everywhere"
				isOn={preferences.seen_once}
				onChange={(isOn) => choose({ seen_once: isOn })}
			/>
			<p className="panel-note">
				Dismissing something here also dismisses it on your other phones.
			</p>
			<p className="panel-error" role="alert">
				{error}
			</p>
		</section>
	);
}

/** For a badge whose sender does not take it back. */
function ClearBadge({ badge, onClear }: { badge: number; onClear: () => Promise<void> }) {
	const [error, setError] = useState('');
	const clear = () => {
		setError('');
		onClear().catch((failure: unknown) => setError(failureWords(failure)));
	};
	const part = useRef<HTMLElement>(null);
	useKeptFocus(part, badge === 0);
	return (
		<section className="panel-part" aria-label="Badge" ref={part}>
			{badge > 0 && (
				<button type="button" className="panel-button" onClick={clear}>
					Clear the badge ({badge.toLocaleString()})
				</button>
			)}
			<p className="panel-error" role="alert">
				{error}
			</p>
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
			<p className="panel-error" role="alert">
				{error}
			</p>
		</div>
	);
}
