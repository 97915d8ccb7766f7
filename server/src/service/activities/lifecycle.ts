import type { AlertPayload } from '../../contract/common.ts';
import type { ActivityDevice } from '../../store/activities/activity-devices.ts';
import { toApp } from '../../store/phones/device-audience.ts';
import { type AccountRow, type ActivityRow, type MessageKind, toJson } from '../../store/schema.ts';
import type { Caller } from '../context.ts';
import type { Audience } from '../sending/audience.ts';
import { type ActivityActions, closeActions } from '../shown/buttons.ts';
import {
	changeContent,
	type Content,
	type ContentChange,
	shownActivity,
	toColumns,
} from '../shown/content.ts';
import { endedState, toDismissSeconds } from '../shown/content-state.ts';
import { toUrgency } from '../quiet/rules.ts';
import { newActivityId } from '../secrets.ts';
import { ACTIVITIES_PER_DEVICE, type Board, type LiveActivity } from '../sending/board.ts';
import { activityLane } from '../sending/delivery-lanes.ts';
import { type OutgoingMessage, toOutgoing } from '../sending/outgoing.ts';
import { countSend, type SendingAccount } from '../sending/account.ts';
import { Refusal } from '../refusal.ts';

/** A request's changes to an activity. Omitted tags are kept. */
export interface ActivityChange extends ContentChange {
	tags?: readonly string[] | undefined;
	metadata?: unknown;
}

/** A message about an activity. */
export interface ActivityMessage extends OutgoingMessage {
	activity: ActivityRow;
	/** Devices whose update waits for the activity's token. */
	queued: number;
}

/** An iOS device gets a token per activity some time after the start, unless it uses broadcast channels. */
function isReachable(device: ActivityDevice): boolean {
	return device.platform === 'web' || device.token !== null || takesChannels(device);
}

const takesChannels = (device: ActivityDevice) => toApp(device)?.channels === true;

/** Shown for an instant, as it ends, on phones that have left the activity's channels. */
const OVER: Content = {
	state: { content: { type: 'alert', title: 'Ended', message: 'No longer for this phone.' } },
	actions: {},
};

/** Sends the activity's current state to the devices showing it; to those that have left its channels, only its end. */
function send(
	board: Board,
	activity: LiveActivity,
	kind: MessageKind,
	alert?: AlertPayload,
): ActivityMessage {
	const { row, content, devices, left, muted } = activity;
	const active = devices.filter(({ status }) => status === 'active');
	const recipients = active.filter(({ id }) => !left?.has(id));
	// An Apple broadcast channel ends for all of its phones at once.
	const hasChannel = recipients.some(takesChannels);
	const hasLeft = ({ id }: ActivityDevice) => kind === 'activity_end' && left?.has(id);
	const gone = active.filter((device) => hasLeft(device) && !(hasChannel && takesChannels(device)));
	const over = { ...row, dismiss_at: board.now };
	const end = { ...activity, row: over, content: OVER, devices: gone, left: undefined };
	const ended = gone.length > 0 ? send(board, end, kind).deliveries : [];
	const ready = kind === 'activity_start' ? recipients : recipients.filter(isReachable);
	const waiting =
		kind === 'activity_start' ? [] : recipients.filter((device) => !isReachable(device));
	const { action, secondary_action: second } = content.actions;
	const urgency = alert && toUrgency('active', [action, second]);
	const shown = { activity: shownActivity(row, board.now, content), ...(alert && { alert }) };
	const { id: history_id, account_id } = row;
	const origin = { account_id, history_id, kind, lane: activityLane(row), created_at: board.now };
	const content_json = JSON.stringify(shown);
	const outgoing = toOutgoing({ ...origin, content_json }, { devices: ready, muted, urgency });
	board.outgoing.push(outgoing);
	const { message } = outgoing;
	for (const { id } of waiting) board.waiting.push({ message, activityId: row.id, deviceId: id });
	const deliveries = [...outgoing.deliveries, ...ended];
	return { ...outgoing, deliveries, activity: row, queued: waiting.length };
}

export interface StartOptions extends ActivityChange {
	sender: SendingAccount;
	audience: Audience;
	/** Who starts it; the console and commands have no key. */
	caller: Pick<Caller, 'keyId' | 'requestId'>;
	streamKey: string | null;
	/** The content into which the change is merged: a stream's stored one, or its last activity's. */
	previous?: Content | undefined;
	/** The stream's running activity, which ends first. */
	rotated?: LiveActivity | undefined;
}

/**
 * Starts an activity on every device of the audience.
 * @returns the start, preceded by the ends of the rotated activity and of those that a trial account must
 *          end for it
 * @throws Refusal `invalid` or `capacity`, without changing the board
 */
export function startActivity(board: Board, options: StartOptions) {
	const { sender, audience, rotated } = options;
	const { account } = sender;
	const { now } = board;
	const content = changeContent(options.previous, options, now);
	const deviceIds = audience.devices.map(({ id }) => id);
	const evicted = findRoom(board, account, deviceIds, rotated);

	const ended = [
		...(rotated ? [endActivity(board, rotated, undefined, { reason: 'rotated' })] : []),
		...evicted.map((oldest) => endActivity(board, oldest, undefined, { reason: 'capacity' })),
	];
	const row: ActivityRow = {
		id: newActivityId(),
		account_id: account.id,
		stream_key: options.streamKey,
		...toColumns(content),
		channels_json: toJson(audience.slugs),
		started_at: now,
		updated_at: now,
		ended_at: null,
		end_reason: null,
		dismiss_at: null,
	};
	const devices = audience.devices.map((device) => ({ ...device, token: null }));
	const { keyId: startedBy } = options.caller;
	const activity = { row, content, tags: options.tags, startedBy, devices, muted: audience.muted };
	board.start(activity, {
		id: row.id,
		account_id: account.id,
		api_key_id: options.caller.keyId,
		kind: 'activity',
		title: content.state.content.title,
		channels: audience.slugs,
		tags: options.tags,
		metadata: options.metadata,
		created_at: now,
		request_id: options.caller.requestId ?? null,
	});
	countSend(sender);
	return { started: send(board, activity, 'activity_start', options.alert), ended };
}

/** Stores a new title, tags and metadata. Most changes have none of them, and leave the entry unchanged. */
function changeInHistory(
	board: Board,
	activity: LiveActivity,
	before: Content,
	change: ActivityChange,
): void {
	const { title } = activity.content.state.content;
	if (title !== before.state.content.title) board.changeEntry(activity, { title });
	annotate(board, activity, change);
}

/** Stores the tags and metadata of a request, if it sent any. */
export function annotate(
	board: Board,
	activity: LiveActivity,
	{ tags, metadata }: Pick<ActivityChange, 'tags' | 'metadata'>,
): void {
	if (tags) board.changeEntry(activity, { tags });
	if (metadata !== undefined)
		board.changeEntry(activity, { metadata_json: JSON.stringify(metadata) });
}

/**
 * Sends the merged content to the devices showing the activity.
 * @param content the merged content, if at hand
 * @throws Refusal `invalid`, without changing the board
 */
export function changeActivity(
	board: Board,
	activity: LiveActivity,
	change: ActivityChange,
	content: Content = changeContent(activity.content, change, board.now),
): ActivityMessage {
	const before = activity.content;
	board.change(activity, { content, updated_at: board.now });
	changeInHistory(board, activity, before, change);
	return send(board, activity, 'activity_update', change.alert);
}

/** The reason an activity ended, as recorded in the history. */
type EndReason = 'ended' | 'rotated' | 'paused' | 'capacity' | 'expired';

interface EndOptions {
	reason: EndReason;
	/**
	 * Seconds until it leaves the lock screen, unless the sender set them; absent: immediately, whatever the
	 * sender set.
	 */
	dismissSeconds?: number;
}

/**
 * Ends the activity on the devices showing it, optionally with a last change.
 * @throws Refusal `invalid`, without changing the board
 */
export function endActivity(
	board: Board,
	activity: LiveActivity,
	change: ActivityChange | undefined,
	{ reason, dismissSeconds }: EndOptions,
): ActivityMessage {
	const { now } = board;
	const before = activity.content;
	const sent = change?.actions ?? {};
	const changed = changeContent(before, { change: {}, ...change, actions: sent }, now);
	const actions = closeActions(changed.actions, sent);
	// An expired activity stays with its stream, whose next update rotates it: its timer keeps running.
	const isExpired = reason === 'expired';
	const state = isExpired ? changed.state : endedState(changed.state, now);
	const shownFor = dismissSeconds === undefined ? 0 : toDismissSeconds(state, dismissSeconds);
	const times = { updated_at: now, ended_at: now, dismiss_at: now + shownFor * 1_000 };
	const columns = { content: { state, actions }, end_reason: reason, ...times };
	board.end(activity, columns, !isExpired);
	board.changeEntry(activity, { ended_at: now });
	if (change) changeInHistory(board, activity, before, change);
	return send(board, activity, 'activity_end', change?.alert);
}

/**
 * Stores the answer to the activity's buttons and the buttons that it changes, and sends both to the devices showing it.
 * @returns undefined when no device shows it anymore
 */
export function answerActivity(board: Board, activity: LiveActivity, change: ActivityActions) {
	const { row, content } = activity;
	board.change(activity, { content: { ...content, actions: { ...content.actions, ...change } } });
	if (row.dismiss_at !== null && row.dismiss_at <= board.now) return undefined;
	return send(board, activity, row.ended_at === null ? 'activity_update' : 'activity_end');
}

function capacityRefusal(full: number, targeted: number, active: number): Refusal {
	const which =
		full === targeted ? 'Every targeted phone' : `${full} of ${targeted} targeted phones`;
	return new Refusal(
		'capacity',
		'Live Activity limit reached',
		`${which} already ${full === targeted || full === 1 ? 'shows' : 'show'} ${ACTIVITIES_PER_DEVICE} Live Activities. End one of them, then start this one again.`,
		{
			limit: ACTIVITIES_PER_DEVICE,
			active,
			...(full < targeted && { blocked_devices: full, targeted_devices: targeted }),
		},
	);
}

/**
 * Finds room for one more activity on every targeted device.
 * @param leaving an activity that ends before this one starts
 * @returns the activities that a trial account must end for it
 * @throws Refusal `capacity` for a paid account when a targeted device is full
 */
function findRoom(
	board: Board,
	account: AccountRow,
	deviceIds: readonly string[],
	leaving?: LiveActivity,
): LiveActivity[] {
	const ending = new Set<LiveActivity>();
	const freed = new Map<string, number>();
	const free = (activity: LiveActivity) => {
		ending.add(activity);
		if (!board.isRunning(activity)) return;
		for (const { id } of activity.devices) freed.set(id, (freed.get(id) ?? 0) + 1);
	};
	const activeOn = (id: string) => board.runningOn(id) - (freed.get(id) ?? 0);
	const isFull = (id: string) => activeOn(id) >= ACTIVITIES_PER_DEVICE;

	if (leaving) free(leaving);
	const evicted: LiveActivity[] = [];
	let oldestFirst: ReturnType<typeof board.runningByDevice> | undefined;
	for (const deviceId of deviceIds) {
		if (!isFull(deviceId)) continue;
		if (account.plan !== 'trial') {
			const full = deviceIds.filter(isFull);
			throw capacityRefusal(full.length, deviceIds.length, Math.max(...full.map(activeOn)));
		}
		oldestFirst ??= board.runningByDevice();
		for (const oldest of oldestFirst.get(deviceId) ?? []) {
			if (!isFull(deviceId)) break;
			if (ending.has(oldest)) continue;
			free(oldest);
			evicted.push(oldest);
		}
	}
	return evicted;
}
