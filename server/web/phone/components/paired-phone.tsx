import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { deviceClient } from '../device-client.ts';
import { useInstall } from '../hooks/use-install.ts';
import { usePhone } from '../hooks/use-phone.ts';
import { usePush } from '../hooks/use-push.ts';
import { useQuiet } from '../hooks/use-quiet.ts';
import { useSettings } from '../hooks/use-settings.ts';
import { useVisible } from '../hooks/use-visible.ts';
import { save } from '../storage.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { pageOpened } from '../worker-registration.ts';
import { AllMetricsScreen } from './all-metrics-screen.tsx';
import { AllowCard } from './allow-card.tsx';
import { DevicePanel } from './device-panel.tsx';
import { HistoryScreen } from './history-screen.tsx';
import { LockScreen } from './lock-screen.tsx';
import { PhoneFrame } from './phone-frame.tsx';

interface PairedPhoneProps {
	token: string;
	/** Called when the server no longer knows this phone. */
	onDisconnected: () => void;
	/** Called when the person disconnects the phone here. */
	onLeft: () => void;
}

/** The lock screen and, beside it or in a sheet, the device panel. */
export function PairedPhone({ token, onDisconnected, onLeft }: PairedPhoneProps) {
	const client = useMemo(() => deviceClient(token), [token]);
	const [settings, changeSettings] = useSettings();
	const push = usePush(client, settings, changeSettings);
	const install = useInstall();
	const isVisible = useVisible();
	const isAway = !isVisible && push.state.kind === 'on';
	const phone = usePhone({ token, client, isAway, onDisconnected });
	const newest = phone.state?.notifications[0];
	// A push that is held back may be the first sign of quiet hours.
	const quiet = useQuiet(
		client,
		`${isVisible} ${phone.connection} ${newest?.held ? newest.id : ''}`,
	);
	const [covered, setCovered] = useState<'history' | 'metrics' | undefined>(() =>
		wantsHistory() ? 'history' : undefined,
	);
	const uncover = useCallback(() => setCovered(undefined), []);
	const sheet = useRef<HTMLDialogElement>(null);

	useEffect(() => void save('token', token), [token]);
	const isLive = phone.connection === 'live';
	useEffect(() => {
		if (isVisible && isLive) void pageOpened();
	}, [isVisible, isLive]);

	const { disconnect } = phone;
	const leave = useCallback(async () => {
		await disconnect();
		onLeft();
	}, [disconnect, onLeft]);
	const panel = (
		<DevicePanel
			device={phone.state?.device}
			preferences={phone.state?.preferences}
			onChoose={phone.choose}
			connection={phone.connection}
			client={client}
			push={push}
			quiet={quiet}
			install={install}
			settings={settings}
			onSettings={changeSettings}
			onDisconnect={leave}
		/>
	);

	return (
		<>
			<PhoneFrame aside={panel}>
				<LockScreen
					phone={phone}
					quietUntil={quiet.quiet?.quiet_until ?? null}
					hasSound={settings?.sound ?? false}
					isCovered={covered !== undefined}
					notice={
						settings?.askedForPush === false && (
							<AllowCard push={push} onLater={() => changeSettings({ askedForPush: true })} />
						)
					}
					onDisconnected={onDisconnected}
					onHistory={() => setCovered('history')}
					onAllMetrics={() => setCovered('metrics')}
					onInfo={() => sheet.current?.showModal()}
				/>
				{covered === 'history' && (
					<HistoryScreen
						client={client}
						clockOffset={phone.state?.clockOffset ?? 0}
						onClose={uncover}
					/>
				)}
				{covered === 'metrics' && phone.state && (
					<AllMetricsScreen
						metrics={phone.state.metrics}
						choice={phone.state.preferences.metrics}
						clockOffset={phone.state.clockOffset}
						onChoose={(metrics) => phone.choose({ metrics })}
						onClose={uncover}
					/>
				)}
			</PhoneFrame>
			<dialog
				className="sheet"
				ref={sheet}
				aria-label="About this phone"
				onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
			>
				<div className="sheet-content">
					{panel}
					<button
						type="button"
						className="sheet-close"
						aria-label="Close"
						onClick={() => sheet.current?.close()}
					>
						<Glyph name="cross" />
					</button>
				</div>
			</dialog>
		</>
	);
}

/** True if opened by the app's history shortcut from the manifest. */
function wantsHistory(): boolean {
	return new URLSearchParams(location.search).get('show') === 'history';
}
