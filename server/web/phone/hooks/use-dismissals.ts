import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Snapshot, SnoozeRequest } from '../../../src/contract/device.ts';
import { type DeviceClient, DeviceError, isDisconnected } from '../../device/device-client.ts';
import type {
	ActivityCard,
	LockScreenEvent,
	LockScreenState,
	ShownNotification,
} from '../../device/lock-screen-state.ts';
import { shownIn } from '../../device/shown-in.ts';
import { clockTime, ownTimeZone } from '../../device/times.ts';

const UNDO_MS = 8_000;

/** What was dismissed just now, and may still be brought back. */
export interface Dismissed {
	words: string;
	undo: (() => void) | undefined;
}

export interface Dismissals {
	dismissNotification: (id: number) => void;
	dismissActivity: (activityId: string) => void;
	/** Takes a notification off all of the person's phones, until later. */
	snooze: (id: number, until: SnoozeRequest['until']) => void;
	clearAll: () => void;
	dismissed: Dismissed | undefined;
}

interface DismissalOptions {
	client: DeviceClient;
	/** The state last drawn. */
	latest: { readonly current: LockScreenState | undefined };
	dispatch: (event: LockScreenEvent) => void;
	onDisconnected: () => void;
}

type Card = ShownNotification | ActivityCard;

/** How the cards of a dismissal leave the screen, and return. */
interface Dismissal {
	leave: () => void;
	putBack: () => void;
}

interface Undoable extends Dismissal {
	words: string;
	undo: string;
}

const NOT_RESTORED = 'They could not be restored. They are still in the history.';

/** Dismisses one card or all notifications. Those dismissed within a few seconds come back together. */
export function useDismissals(options: DismissalOptions): Dismissals {
	const { client, latest, dispatch, onDisconnected } = options;
	const [undoable, setUndoable] = useState<readonly Undoable[]>([]);
	const [failure, setFailure] = useState('');
	useEffect(() => {
		if (undoable.length === 0 && failure === '') return undefined;
		const timer = setTimeout(() => {
			setUndoable([]);
			setFailure('');
		}, UNDO_MS);
		return () => clearTimeout(timer);
	}, [undoable, failure]);

	const dismiss = useCallback(
		async <A extends { undo: string }>(
			dismissal: Dismissal,
			call: Promise<A>,
			toWords: (answer: A) => string,
		) => {
			setFailure('');
			dismissal.leave();
			try {
				const answer = await call;
				const done = { ...dismissal, words: toWords(answer), undo: answer.undo };
				setUndoable((before) => [...before, done]);
			} catch (error) {
				if (isDisconnected(error)) onDisconnected();
				// Another page or phone may have dismissed it.
				else if (!(error instanceof DeviceError) || error.status !== 404) {
					dismissal.putBack();
					setFailure('Not dismissed: could not reach the server.');
				}
			}
		},
		[onDisconnected],
	);
	// Cards are drawn again only for what changes.
	const actions = useMemo(() => {
		const ofNotification = (id: number) => {
			const card = latest.current?.notifications.find((one) => one.id === id);
			return byCard(dispatch, card, { type: 'notification_dismissed', id });
		};
		const ofActivity = (id: string) => {
			const card = latest.current?.activities.find(({ activity }) => activity.activity_id === id);
			return byCard(dispatch, card, { type: 'activity_dismissed', activityId: id });
		};
		return {
			dismissNotification: (id: number) =>
				void dismiss(
					ofNotification(id),
					client.call('POST /dismissals', { delivery_id: id }),
					() => 'Notification dismissed',
				),
			snooze: (id: number, until: SnoozeRequest['until']) =>
				void dismiss(
					ofNotification(id),
					client.call('POST /snoozes', { delivery_id: id, until, time_zone: ownTimeZone() }),
					(answer) => `Snoozed until ${clockTime(Date.parse(answer.until))}`,
				),
			dismissActivity: (id: string) =>
				void dismiss(
					ofActivity(id),
					client.call('POST /dismissals', { activity_id: id }),
					() => 'Live Activity dismissed',
				),
			clearAll: () => {
				if (latest.current === undefined) return;
				const { notifications, notificationCount: count, cursor } = latest.current;
				const putBack = () =>
					dispatch({ type: 'notifications_restored', notifications, count, cursor });
				const leave = () => dispatch({ type: 'notifications_cleared', upTo: cursor });
				const call = client.call('POST /notifications/clear', { up_to: cursor });
				void dismiss({ leave, putBack }, call, ({ cleared }) => clearedWords(cleared));
			},
		};
	}, [client, dismiss, dispatch, latest]);

	const undoAll = () => {
		setUndoable([]);
		for (const { putBack } of undoable.toReversed()) putBack();
		const restore = undoable.map(({ undo }) =>
			client.call('POST /notifications/restore', { undo }),
		);
		Promise.all(restore)
			// Reads what happened to the card meanwhile.
			.then(() => client.call('GET /snapshot'))
			.then((snapshot) => dispatch(toRestored(snapshot)))
			.catch(() => {
				for (const { leave } of undoable) leave();
				setFailure(NOT_RESTORED);
			});
	};
	const [first, ...others] = undoable;
	const words =
		others.length === 0 ? first?.words : `${undoable.length.toLocaleString()} dismissals`;
	const isOpen = failure !== '' || undoable.length > 0;
	return {
		...actions,
		dismissed: isOpen
			? { words: failure || (words ?? ''), undo: failure ? undefined : undoAll }
			: undefined,
	};
}

function byCard(
	dispatch: (event: LockScreenEvent) => void,
	card: Card | undefined,
	event: LockScreenEvent,
): Dismissal {
	return {
		leave: () => dispatch(event),
		putBack: () => card && dispatch({ type: 'undone', card }),
	};
}

function clearedWords(number: number): string {
	return `${number.toLocaleString()} ${number === 1 ? 'notification' : 'notifications'} cleared`;
}

/** The cards of a snapshot, to be merged into what is shown. */
export function toRestored(snapshot: Snapshot): LockScreenEvent {
	const { notification_count: count, questions, cursor, activities } = snapshot;
	return {
		type: 'notifications_restored',
		notifications: shownIn(snapshot),
		count: count + questions.length,
		cursor,
		activities,
	};
}
