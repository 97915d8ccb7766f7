import { useEffect, useRef, useState } from 'react';
import { showAppBadge } from '../app-badge.ts';
import { useCards } from '../hooks/use-card.ts';
import { useCardInUse } from '../hooks/use-card-in-use.ts';
import { useNow } from '../hooks/use-now.ts';
import { useCardMotion } from '../hooks/use-card-motion.ts';
import type { Channel } from '../hooks/use-channels.ts';
import type { Phone } from '../hooks/use-phone.ts';
import type { Attention } from '../../device/attention.ts';
import { takeLostFocus } from '../keep-focus.ts';
import { onLockScreen } from '../../device/metric-choice.ts';
import { isAsked } from '../../device/questions.ts';
import { bySection } from '../../device/urgency.ts';
import { useTrends } from '../hooks/use-trends.ts';
import { useSteady } from '../hooks/use-steady.ts';
import { isSilenced } from '../channel-sounds.ts';
import type { Settings } from '../storage.ts';
import { toSentences } from '../../device/sentences.ts';
import { playSound } from '../sound.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { clockTime, MINUTE } from '../../device/times.ts';
import { ActivityCard } from './activity-card.tsx';
import { Banner } from './banner.tsx';
import { Clock } from './clock.tsx';
import { Dock } from './dock.tsx';
import { MetricWidgets } from './metric-widgets.tsx';
import { NotificationStack } from './notification-stack.tsx';
import { NotificationCard } from './notification-card.tsx';
import { EndedQuestions, QuestionCards } from './question-cards.tsx';
import { StatusBar } from './status-bar.tsx';
import { UndoBar } from './undo-bar.tsx';
import { UnopenedLink } from './unopened-link.tsx';

const VIBRATION_MS = 60;
/** The most metrics that are all shown, without choosing among them. */
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
	onHistory,
	onAllMetrics,
	onSettings,
}: LockScreenProps) {
	const { connection, asOf, dismissActivity } = phone;
	const scroller = useRef<HTMLDivElement>(null);
	const trends = useTrends(phone.state?.metrics);
	const latest = { state: phone.state, memories: useCards(), inUse: useCardInUse(scroller) };
	// Keeps cards from moving under a finger.
	const { state, memories, inUse } = useSteady(latest, scroller);
	const { questions, urgent, others, ended } = bySection(
		state ?? { notifications: [] },
		(key) => memories[key]?.isSeen === true,
		inUse,
	);
	const activities =
		state?.activities.filter(({ activity: { activity_id: id } }) => !isAsked(id, questions)) ?? [];
	const card = {
		clockOffset: state?.clockOffset ?? 0,
		userId: phone.userId,
		onDismiss: phone.dismissNotification,
		onSnooze: phone.snooze,
		onTap: phone.tap,
	};
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
						trends={trends}
						onAll={state.metrics.length > FEW_METRICS ? onAllMetrics : undefined}
					/>
				)}
				{state !== undefined && (
					<Cards>
						<QuestionCards questions={questions} {...card} />
						{urgent.length > 0 && (
							<section className="urgent" aria-label="Urgent">
								<h2 className="visually-hidden">Urgent</h2>
								{urgent.map((notification) => (
									<NotificationCard
										key={notification.id}
										notification={notification}
										isUnfolded={notification.push.interruption_level === 'critical'}
										{...card}
									/>
								))}
							</section>
						)}
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
										onTap={phone.tap}
									/>
								))}
							</section>
						)}
						<NotificationStack
							notifications={others}
							channels={channels}
							count={state.notificationCount - (state.notifications.length - others.length)}
							// More urgent cards get the room.
							openCards={activities.length + urgent.length > 1 ? 1 : 2}
							onHistory={onHistory}
							{...card}
						/>
						<EndedQuestions questions={ended} {...card} />
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
