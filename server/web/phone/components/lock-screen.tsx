import { useCallback, useEffect, useRef, useState } from 'react';
import type { TapRequest } from '../../../src/contract/device.ts';
import { showAppBadge } from '../app-badge.ts';
import { isDisconnected } from '../../device/device-client.ts';
import { useNow } from '../hooks/use-now.ts';
import { useCardMotion } from '../hooks/use-card-motion.ts';
import type { Channel } from '../hooks/use-channels.ts';
import type { Phone } from '../hooks/use-phone.ts';
import type { Attention } from '../../device/attention.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { takeLostFocus } from '../keep-focus.ts';
import { onLockScreen } from '../../device/metric-choice.ts';
import { isAsked } from '../../device/questions.ts';
import { useSteady } from '../hooks/use-steady.ts';
import { isSilenced } from '../channel-sounds.ts';
import type { Settings } from '../storage.ts';
import { toSentences } from '../../device/sentences.ts';
import { playSound } from '../sound.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { clockTime } from '../../device/times.ts';
import { uuid } from '../uuid.ts';
import { type ActivityAction, ActivityCard } from './activity-card.tsx';
import { Banner } from './banner.tsx';
import { Clock } from './clock.tsx';
import { Dock } from './dock.tsx';
import { MetricWidgets } from './metric-widgets.tsx';
import { NotificationStack } from './notification-stack.tsx';
import { QuestionCards } from './question-cards.tsx';
import { StatusBar } from './status-bar.tsx';
import { UndoBar } from './undo-bar.tsx';
import { UnopenedLink } from './unopened-link.tsx';

const VIBRATION_MS = 60;
const MINUTE = 60_000;
/** As many as fit two rows of a narrow screen. */
const FEW_METRICS = 4;

interface LockScreenProps {
	phone: Phone;
	/** End of the current quiet time. */
	quietUntil: string | null;
	channels: readonly Channel[];
	settings: Settings | undefined;
	/** True while another screen covers it. */
	isCovered: boolean;
	/** Shown above the notifications. */
	notice: React.ReactNode;
	onDisconnected: () => void;
	onHistory: () => void;
	onAllMetrics: () => void;
	onSettings: () => void;
}

/** The whole phone screen, from the status bar to the dock. */
export function LockScreen({
	phone,
	quietUntil,
	channels,
	settings,
	isCovered,
	notice,
	onDisconnected,
	onHistory,
	onAllMetrics,
	onSettings,
}: LockScreenProps) {
	const { connection, asOf, client, dismissNotification, dismissActivity } = phone;
	const scroller = useRef<HTMLDivElement>(null);
	// Nothing moves under a finger.
	const state = useSteady(phone.state, scroller);

	const tap = useCallback(
		async (request: TapRequest) => {
			try {
				return await client.call('POST /taps', request);
			} catch (error) {
				if (isDisconnected(error)) onDisconnected();
				throw error;
			}
		},
		[client, onDisconnected],
	);
	const tapNotification = useCallback(
		(deliveryId: number, index: number) =>
			tap({ tap_id: uuid(), delivery_id: deliveryId, action: index }),
		[tap],
	);
	const tapActivity = useCallback(
		(activityId: string, action: ActivityAction) =>
			tap({ tap_id: uuid(), activity_id: activityId, action }),
		[tap],
	);
	const isQuestion = ({ push }: ShownNotification) => push.question !== undefined;
	const questions = state?.notifications.filter(isQuestion) ?? [];
	const activities =
		state?.activities.filter(({ activity: { activity_id: id } }) => !isAsked(id, questions)) ?? [];
	const device = state?.device.name;
	useEffect(() => {
		if (device !== undefined) takeLostFocus();
	}, [device]);
	const toTop = () => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' });
	useBadge(phone.state?.badge);
	useSound(phone.state?.attention, settings);

	return (
		<main className="lock-screen" inert={isCovered}>
			<h1 className="visually-hidden">{device ?? 'Beckon'}</h1>
			<StatusBar
				carrier={state?.device.account.name ?? 'Beckon'}
				connection={connection}
				asOf={asOf}
			/>
			<Banner attention={state?.attention} />
			<Announcer attention={state?.attention} />
			<div className="scroller" ref={scroller} tabIndex={-1}>
				<Clock
					isSmall={state !== undefined && state.notifications.length + state.activities.length > 0}
				/>
				<QuietPill until={quietUntil} />
				{state !== undefined && (
					<MetricWidgets
						metrics={onLockScreen(state.metrics, state.preferences.metrics)}
						clockOffset={state.clockOffset}
					/>
				)}
				{state !== undefined && state.metrics.length > FEW_METRICS && (
					<button type="button" className="pill-button widgets-more" onClick={onAllMetrics}>
						All metrics
					</button>
				)}
				{state !== undefined && (
					<Cards>
						<QuestionCards
							questions={questions}
							answering={phone.answering}
							clockOffset={state.clockOffset}
							onDismiss={dismissNotification}
							onSnooze={phone.snooze}
							onTap={tapNotification}
						/>
						{notice}
						{activities.length > 0 && (
							<section className="activities" aria-label="Live Activities">
								<h2 className="visually-hidden">Live Activities</h2>
								{activities.map((card) => (
									<ActivityCard
										key={card.activity.activity_id}
										card={card}
										clockOffset={state.clockOffset}
										onDismiss={dismissActivity}
										onTap={tapActivity}
									/>
								))}
							</section>
						)}
						<NotificationStack
							notifications={state.notifications.filter((one) => !isQuestion(one))}
							channels={channels}
							count={state.notificationCount - questions.length}
							// Several Live Activities get the room.
							openCards={state.activities.length > 1 ? 1 : 2}
							clockOffset={state.clockOffset}
							onDismiss={dismissNotification}
							onSnooze={phone.snooze}
							onTap={tapNotification}
						/>
						{state.notifications.length + state.activities.length === 0 && (
							<p className="nothing">No notifications. Messages from your workflows appear here.</p>
						)}
						<button
							type="button"
							className="pill-button history-button"
							data-flip="history"
							onClick={onHistory}
						>
							<Glyph name="clock" /> History
						</button>
					</Cards>
				)}
			</div>
			<UndoBar dismissed={phone.dismissed} />
			{!isCovered && <UnopenedLink />}
			<Dock
				badge={state?.badge ?? 0}
				canClear={(state?.notificationCount ?? 0) > questions.length}
				onClear={phone.clearAll}
				onHome={toTop}
				onSettings={onSettings}
			/>
		</main>
	);
}

/** Shows when this phone's quiet time ends. */
function QuietPill({ until }: { until: string | null }) {
	const now = useNow(MINUTE);
	if (until === null || Date.parse(until) <= now) return null;
	return (
		<p className="quiet-pill">
			<Glyph name="moon" /> Quiet until {clockTime(Date.parse(until), now)}
		</p>
	);
}

/** Mounted with the first snapshot, so existing cards do not drop in one by one. */
function Cards({ children }: { children: React.ReactNode }) {
	const cards = useRef<HTMLDivElement>(null);
	useCardMotion(cards);
	return (
		<div className="cards" ref={cards}>
			{children}
		</div>
	);
}

/** Announces new notifications and alerts to screen readers. */
function Announcer({ attention }: { attention: Attention | undefined }) {
	const [said, setSaid] = useState('');
	useEffect(() => {
		if (attention === undefined) return;
		setSaid(toSentences([attention.title, attention.body]));
	}, [attention]);
	return (
		<div className="visually-hidden" aria-live="polite" data-testid="announcer">
			{said}
		</div>
	);
}

/** Shows the badge in the page's title and on the installed app's icon. */
function useBadge(badge: number | undefined): void {
	useEffect(() => {
		document.title = badge === undefined || badge === 0 ? 'Beckon' : `(${badge}) Beckon`;
		if (badge !== undefined) showAppBadge(badge);
	}, [badge]);
}

/** Plays once for each thing that asks for attention. */
function useSound(attention: Attention | undefined, settings: Settings | undefined): void {
	const heard = useRef<number>(undefined);
	useEffect(() => {
		if (attention === undefined || attention.id === heard.current) return;
		heard.current = attention.id;
		if (!settings?.sound || attention.isSilent) return;
		if (attention.push && isSilenced(attention.push, settings.channelSounds)) return;
		playSound();
		if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION_MS);
	}, [attention, settings]);
}
