import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import {
	INTERRUPTION_LEVELS,
	type InterruptionLevel,
	type SNOOZES,
	WEEKDAYS,
} from '../../contract/values.ts';
import type { Quiet, QuietHours } from '../../contract/quiet.ts';
import { fromJson } from '../../store/schema.ts';
import { fromWall, toWall } from './wall-clock.ts';
import type { AlertPayload } from '../../contract/common.ts';
import type { Notification, ShownActivity } from '../../contract/shown.ts';
import { isOfActivity, type Message } from '../../store/outbox/messages.ts';

/** When a phone is quiet, as stored in `devices.quiet_json`. */
export interface QuietSettings extends Omit<Quiet, 'muted_until' | 'quiet_until'> {
	/** Milliseconds since 1970. */
	muted_until: number | null;
}

export const NEVER_QUIET: QuietSettings = {
	hours: null,
	time_zone: null,
	minimum_level: 'passive',
	questions: false,
	muted_until: null,
};

export function toQuietSettings(device: { quiet_json: string | null }): QuietSettings {
	return fromJson<QuietSettings>(device.quiet_json) ?? NEVER_QUIET;
}

/** Milliseconds after midnight. */
function toMilliseconds(timeOfDay: string): number {
	const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
	return (hours * 60 + minutes) * MINUTE_MS;
}

const toWeekday = (wallMidnight: number) => WEEKDAYS[(new Date(wallMidnight).getUTCDay() + 6) % 7];

/** The end of the quiet hours that `at` lies in; undefined if it lies in none. */
function endOfHours({ from, to, days }: QuietHours, timeZone: string, at: number) {
	const today = Math.floor(toWall(timeZone, at) / DAY_MS) * DAY_MS;
	const length = (toMilliseconds(to) - toMilliseconds(from) + DAY_MS) % DAY_MS;
	for (const midnight of [today - DAY_MS, today]) {
		const begins = midnight + toMilliseconds(from);
		if (!days.some((day) => day === toWeekday(midnight))) continue;
		const end = fromWall(timeZone, begins + length);
		if (fromWall(timeZone, begins) <= at && at < end) return end;
	}
	return undefined;
}

/** Quiet hours and a mute may follow each other; at most this many are added up. */
const MAX_STEPS = 4;

/** The time until which the phone is quiet; undefined if it is not quiet now. */
export function quietUntil(settings: QuietSettings, now: number): number | undefined {
	const { hours, time_zone: timeZone, muted_until: mutedUntil } = settings;
	let until = now;
	for (let step = 0; step < MAX_STEPS; step += 1) {
		const hoursEnd = hours && timeZone !== null ? endOfHours(hours, timeZone, until) : undefined;
		const end = Math.max(until, mutedUntil ?? 0, hoursEnd ?? 0);
		if (end === until) break;
		until = end;
	}
	return until === now ? undefined : until;
}

/** The properties of a message that decide whether it can interrupt. */
export interface Urgency {
	level: InterruptionLevel;
	/** True if it asks a question, or has a webhook button. */
	isQuestion: boolean;
	/** The slugs that a push was sent to. */
	channels?: readonly string[] | undefined;
}

/** A message that does not interrupt. */
export interface Held {
	/** Time of the summary; undefined: the message is below its minimum level on the phone, at any time. */
	until: number | undefined;
}

const rank = (level: InterruptionLevel) => INTERRUPTION_LEVELS.indexOf(level);

/** The lowest of the levels below which a push to these channels never interrupts. */
function minimumRank(settings: QuietSettings, slugs: readonly string[]): number {
	const { minimum_level: general, channel_levels: byChannel = {} } = settings;
	const levels = new Map(Object.entries(byChannel));
	const ranks = slugs.map((slug) => rank(levels.get(slug) ?? general));
	return ranks.length > 0 ? Math.min(...ranks) : rank(general);
}

/** @returns undefined if the message can interrupt */
export function heldBack(settings: QuietSettings, urgency: Urgency, now: number): Held | undefined {
	const { level, isQuestion, channels = [] } = urgency;
	if (level === 'critical' || (isQuestion && settings.questions)) return undefined;
	if (rank(level) < minimumRank(settings, channels)) return { until: undefined };
	const until = quietUntil(settings, now);
	return until === undefined ? undefined : { until };
}

/**
 * @param urgency undefined: it never interrupts
 * @returns undefined if the message may interrupt on the device
 */
export function heldOn(
	device: { quiet_json: string | null },
	urgency: Urgency | undefined,
	now: number,
): Held | undefined {
	// Most phones are never quiet.
	if (!urgency || device.quiet_json === null) return undefined;
	return heldBack(toQuietSettings(device), urgency, now);
}

const EVENING = '20:00';
const MORNING = '07:00';
const NOON = '12:00';

/** The time until which a phone is muted. The morning is the end of its nightly quiet hours, or 7:00. */
export function muteEnd(
	mute: 'hour' | 'morning',
	{ hours, time_zone: timeZone }: Pick<QuietSettings, 'hours'> & { time_zone: string },
	now: number,
): number {
	if (mute === 'hour') return now + HOUR_MS;
	return nextTime(hours && hours.to < NOON ? hours.to : MORNING, timeZone, now);
}

/** The time at which a snoozed push returns: like the end of a mute, or at 20:00. */
export function snoozeEnd(
	until: (typeof SNOOZES)[number],
	settings: Parameters<typeof muteEnd>[1],
	now: number,
): number {
	if (until === 'tonight') return nextTime(EVENING, settings.time_zone, now);
	return muteEnd(until, settings, now);
}

function nextTime(timeOfDay: string, timeZone: string, now: number): number {
	const today = Math.floor(toWall(timeZone, now) / DAY_MS) * DAY_MS;
	const at = (midnight: number) => fromWall(timeZone, midnight + toMilliseconds(timeOfDay));
	return at(today) > now ? at(today) : at(today + DAY_MS);
}

/** The urgency of a push, or of a Live Activity's alert: with a webhook button it is a question. */
export function toUrgency(
	level: InterruptionLevel,
	buttons: ReadonlyArray<{ type: string } | null | undefined>,
): Urgency {
	return { level, isQuestion: buttons.some((button) => button?.type === 'webhook') };
}

/** The urgency of a push, which may ask a question. */
export function pushUrgency({
	interruption_level: level,
	actions = [],
	question,
	channels,
}: Notification): Urgency {
	const urgency = { ...toUrgency(level, actions), channels };
	return question ? { ...urgency, isQuestion: true } : urgency;
}

/** The urgency of a stored message; undefined if it never interrupts. */
export function messageUrgency(message: Pick<Message, 'kind' | 'content_json'>) {
	const content: unknown = JSON.parse(message.content_json);
	if (message.kind === 'push') return pushUrgency(content as Notification);
	if (!isOfActivity(message)) return undefined;
	const { activity, alert } = content as { activity: ShownActivity; alert?: AlertPayload };
	return alert && toUrgency('active', [activity.action, activity.secondary_action]);
}
