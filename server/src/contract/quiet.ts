import { z } from 'zod';
import { INTERRUPTION_LEVELS, WEEKDAYS } from './values.ts';
import { channelSlug } from './common.ts';
import { atMost, isUnique, timestamp } from './text.ts';

/** When a phone is quiet; docs/device-protocol.md "Quiet" has the rules. */

/** The canonical spelling of a zone's name: aliases and any case are accepted; undefined: no zone. */
function canonicalTimeZone(name: string): string | undefined {
	// An offset such as +02:00 is known to Intl, but has no daylight saving time.
	if (!/^[A-Za-z]/.test(name)) return undefined;
	try {
		return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
	} catch {
		return undefined;
	}
}

/** An IANA name, in its canonical spelling. */
export const timeZone = z
	.string()
	.max(64)
	.overwrite((name) => canonicalTimeZone(name) ?? name)
	.refine(
		(name) => canonicalTimeZone(name) === name,
		'must be the IANA name of a time zone, such as Europe/Berlin',
	);

const timeOfDay = z
	.string()
	.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59');

/** `days`: the days on which they begin; 22:00 to 07:00 on `fri` ends on Saturday. */
const quietHours = z
	.strictObject({
		from: timeOfDay,
		to: timeOfDay,
		days: atMost(7, z.array(z.enum(WEEKDAYS)).min(1, 'must name at least one day')).refine(
			isUnique,
			'must name each day once',
		),
	})
	.refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from from' });

/** Each is read whenever a push is sent to the phone. */
const MAX_CHANNEL_LEVELS = 100;

const channelLevels = atMost(
	MAX_CHANNEL_LEVELS,
	z.record(channelSlug, z.enum(INTERRUPTION_LEVELS)),
	`can have levels for at most ${MAX_CHANNEL_LEVELS} channels`,
);

/** PUT /device/quiet: replaces all of it. */
export const quietRequest = z.strictObject({
	/** null: none. */
	hours: quietHours.nullable(),
	/** The zone of `hours`, and of the morning until which a phone can be muted. */
	time_zone: timeZone,
	/** Pushes below it never interrupt. */
	minimum_level: z.enum(INTERRUPTION_LEVELS),
	/** By slug: those whose pushes have another minimum level. Omitted: kept. */
	channel_levels: channelLevels.optional(),
	/** True if pushes with a webhook button interrupt anyway. */
	questions: z.boolean(),
});

/** PUT /device/quiet/mute: null ends it. */
export const quietMuteRequest = z.strictObject({
	mute: z.enum(['hour', 'morning']).nullable(),
	/** Used, and stored, if the phone has sent none before. */
	time_zone: timeZone,
});

/** GET /device/quiet, and the response to both changes. */
export const quiet = z.object({
	...quietRequest.shape,
	/** null: the phone has sent none yet. */
	time_zone: timeZone.nullable(),
	muted_until: timestamp.nullable(),
	/** The end of the current quiet time; null: the phone is not quiet now. */
	quiet_until: timestamp.nullable(),
});

export type QuietHours = z.output<typeof quietHours>;
export type QuietRequest = z.output<typeof quietRequest>;
export type QuietMuteRequest = z.output<typeof quietMuteRequest>;
export type Quiet = z.output<typeof quiet>;
