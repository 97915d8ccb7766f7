import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBack } from '../hooks/use-back.ts';
import { useChannels } from '../hooks/use-channels.ts';
import { useInstall } from '../hooks/use-install.ts';
import { usePhone } from '../hooks/use-phone.ts';
import { usePush } from '../hooks/use-push.ts';
import { useQuiet } from '../hooks/use-quiet.ts';
import { useSettings } from '../hooks/use-settings.ts';
import { useVisible } from '../hooks/use-visible.ts';
import { WholeMessages } from '../hooks/use-whole-message.ts';
import { pageClient } from '../page-client.ts';
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
	const client = useMemo(() => pageClient(token), [token]);
	const wholeMessage = useCallback(
		(id: number) =>
			client
				.call('GET /deliveries/:delivery_id/message', String(id))
				.then(({ message }) => message),
		[client],
	);
	const [settings, changeSettings] = useSettings();
	const isVisible = useVisible();
	const push = usePush(client, settings, changeSettings, isVisible);
	const install = useInstall();
	const isAway = !isVisible && push.state.kind === 'on';
	const phone = usePhone({ token, client, isAway, onDisconnected });
	const newest = phone.state?.notifications[0];
	// A push that is held back may be the first sign of quiet hours.
	const isLive = phone.connection === 'live';
	const quiet = useQuiet(
		client,
		isLive ? `${isVisible} ${newest?.held ? newest.id : ''}` : undefined,
	);
	const [covered, setCovered] = useState<'history' | 'metrics' | undefined>(() =>
		wantsHistory() ? 'history' : undefined,
	);
	const uncover = () => setCovered(undefined);
	const sheet = useRef<HTMLDialogElement>(null);
	const [isSheetOpen, setIsSheetOpen] = useState(false);
	// Others may have created channels since the last look.
	const channels = useChannels(client, isLive ? `${covered} ${isSheetOpen}` : undefined);
	useBack(isSheetOpen, () => sheet.current?.close());

	useEffect(() => void save('token', token), [token]);
	useEffect(() => {
		if (isVisible && isLive) void pageOpened();
	}, [isVisible, isLive]);

	const { turnOn } = push;
	const hasPushFailed = push.state.kind === 'failed';
	// Maybe only the connection was missing.
	useEffect(() => {
		if (hasPushFailed && isLive) void turnOn();
	}, [hasPushFailed, isLive, turnOn]);

	const leave = async () => {
		await phone.disconnect();
		onLeft();
	};
	const panel = (
		<DevicePanel
			phone={phone}
			channels={channels}
			push={push}
			quiet={quiet}
			install={install}
			settings={settings}
			onSettings={changeSettings}
			onDisconnect={leave}
		/>
	);

	return (
		<WholeMessages value={wholeMessage}>
			<PhoneFrame aside={panel}>
				<LockScreen
					phone={phone}
					quietUntil={quiet.quiet?.quiet_until ?? null}
					channels={channels.list ?? []}
					settings={settings}
					isCovered={covered !== undefined}
					notice={
						settings !== undefined &&
						(!settings.askedForPush ||
							(settings.push && (push.state.kind === 'ask' || (hasPushFailed && isLive)))) &&
						!IS_FRAMED && (
							<AllowCard
								push={push}
								hasStopped={settings.askedForPush}
								onDone={(isDeclined) =>
									changeSettings({ askedForPush: true, ...(isDeclined && { push: false }) })
								}
							/>
						)
					}
					onHistory={() => setCovered('history')}
					onAllMetrics={() => setCovered('metrics')}
					onSettings={() => {
						sheet.current?.showModal();
						setIsSheetOpen(true);
					}}
				/>
				{covered === 'history' && (
					<HistoryScreen phone={phone} channels={channels.list ?? []} onClose={uncover} />
				)}
				{covered === 'metrics' && phone.state && (
					<AllMetricsScreen
						state={phone.state}
						onChoose={(metrics) => phone.choose({ metrics })}
						onClose={uncover}
					/>
				)}
			</PhoneFrame>
			<dialog
				className="sheet"
				ref={sheet}
				aria-label="Settings"
				onClose={() => setIsSheetOpen(false)}
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
		</WholeMessages>
	);
}

/** In a page of another site, as in the demo, browsers never ask. */
const IS_FRAMED = window.top !== window;

/** True if opened by the app's history shortcut from the manifest. */
function wantsHistory(): boolean {
	return new URLSearchParams(location.search).get('show') === 'history';
}
