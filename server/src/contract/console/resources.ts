import { z } from 'zod';
import { channelSlug, channelSlugs } from '../common.ts';
import type { DeliveryState } from '../delivery-states.ts';
import type { Platform } from '../device.ts';
import type { ConsoleHistoryEntry, Failure } from './history.ts';
import { type Reachability, REACHABILITY } from '../values.ts';
import type { ShownActivity, ShownMetric } from '../shown.ts';
import { metricFormat, metricKey, type MetricValue } from '../metrics.ts';
import { atMost, displayName as name, search, text } from '../text.ts';

const page = z.coerce.number().int().min(1).max(100_000).default(1);

/** A list without filters. */
export const pageQuery = z.strictObject({ page });

export const namesQuery = z.strictObject({ search, page });
export type NamesQuery = z.output<typeof namesQuery>;

/** What every page says about its list. */
export interface ListPage {
	/** Entries on all pages that match the query. */
	total: number;
	/** The page shown: the last one if there are fewer than asked for. */
	page: number;
}

/** A page of a list that can be searched or filtered. */
interface FilteredPage extends ListPage {
	/** All entries of the account, whatever the query. */
	of: number;
}

/** Devices, channels, keys, metrics and running activities, as the console shows and changes them. */
const id = z.string().min(1).max(64);

/** GET /console/api/devices */
export const devicesQuery = z.strictObject({
	id: id.optional(),
	/** In the names of the phone and its person. */
	search,
	reach: z.enum(Object.keys(REACHABILITY) as Reachability[]).optional(),
	sort: z.enum(['paired', 'name', 'user', 'last_seen']).default('paired'),
	page,
});

export type DevicesQuery = z.output<typeof devicesQuery>;
export type DeviceOrder = DevicesQuery['sort'];

export const pairCodeRequest = z.strictObject({ user: name });
/** POST /console/api/users/:id/merge: `into` is the id of the person who remains. */
export const mergeRequest = z.strictObject({ into: id });

export const channelRequest = z.strictObject({
	slug: channelSlug,
	name: name.optional(),
	users: atMost(1_000, z.array(name)).optional(),
});
/** Omitted fields are kept; `users` (names) and `devices` (ids) replace the channel's members. */
export const channelChange = z.strictObject({
	name: name.optional(),
	users: atMost(1_000, z.array(name)).optional(),
	devices: atMost(1_000, z.array(id)).optional(),
});

/** DELETE /console/api/keys/{id}, which may have no body. */
export const revokeRequest = z.strictObject({ withdraw_questions: z.boolean().default(false) });

/** Without channels, the key reaches every device. */
export const keyRequest = z.strictObject({
	name,
	channels: channelSlugs.optional(),
	/** For the routes of other programs only. Such a key is pasted into many places: it must name channels. */
	sender: z.boolean().optional(),
	/** The text of its pushes is Markdown. */
	markdown: z.boolean().optional(),
});

/** PUT /console/api/metrics/:key: how the metric looks; its values stay. */
export const metricChange = z
	.strictObject({
		name,
		format: metricFormat,
		unit: text({ min: 1, max: 16, trim: true }).optional(),
	})
	.refine(({ format, unit }) => !['currency', 'unit'].includes(format) || unit !== undefined, {
		path: ['unit'],
		error: 'is required for this format: a currency such as EUR, or a unit such as ms',
	});

export const metricRequest = metricChange.safeExtend({ key: metricKey });

export type KeyRequest = z.output<typeof keyRequest>;
export type MetricChange = z.output<typeof metricChange>;
export type MetricRequest = z.output<typeof metricRequest>;

export interface ConsoleDevice {
	id: string;
	name: string;
	user: string;
	platform: Platform;
	reach: Reachability;
	/** The reason no push service can wake it, and the remedy; null if one can. */
	advice: string | null;
	/** Slugs of the channels that it has muted. */
	muted: string[];
	/** The end of its quiet time; null: it is not quiet now. */
	quiet_until: string | null;
	/** Why the last delivery failed, with what to do about it; null if one has succeeded since. */
	last_failure: (Failure & { advice: string | null }) | null;
	badge: number;
	channels: string[];
	paired_at: string;
	last_seen_at: string;
}

export interface DevicesPage extends FilteredPage {
	devices: ConsoleDevice[];
}

/** GET /console/api/first-steps: what a new account has done so far. */
export interface FirstSteps {
	/** A phone is paired. */
	phone: boolean;
	/** A push service can wake one of the phones. */
	notifications: boolean;
	/** Something sent recently has reached a phone or its push service. */
	arrived: boolean;
	/** Something sent recently with a key has reached one. */
	workflow: boolean;
	/** What was sent last; null: nothing was. */
	last: Pick<ConsoleHistoryEntry, 'title' | 'phones'> | null;
}

export interface ConsolePerson {
	id: string;
	name: string;
	/** Email address of the person's member; null if they do not sign in. */
	member: string | null;
	/** Connected phones. */
	phones: number;
	channels: string[];
}

/** GET /console/api/user-names */
export interface PersonName extends Pick<ConsolePerson, 'id' | 'name'> {
	/** True if a member. */
	signs_in: boolean;
}

/** GET /console/api/users/:id/phones: a connected phone; requests name it by its slug. */
export interface PhoneName {
	slug: string;
	name: string;
}

/** GET /console/api/users */
export interface PeoplePage extends FilteredPage {
	people: ConsolePerson[];
}

export interface PairingResponse {
	code: string;
	user: string;
	/** The id the phone will have. */
	device_id: string;
	expires_at: string;
}

/** The state of a test push so far. */
export interface TestPushResponse {
	state: DeliveryState;
	message: string;
}

/** A channel. A list shows only the first of its members, GET /console/api/channels/:slug all of them. */
export interface ConsoleChannel {
	slug: string;
	name: string;
	users: string[];
	user_count: number;
	/** Devices that are members themselves. */
	devices: Array<Pick<ConsoleDevice, 'id' | 'name' | 'user' | 'reach'>>;
	device_count: number;
	/** Paired phones that get a push sent to it. */
	reaches: number;
	/** How many of them no push service can wake. */
	only_while_open: number;
}

/** GET /console/api/channels */
export interface ChannelsPage extends FilteredPage {
	channels: ConsoleChannel[];
}

export interface ConsoleKey {
	id: string;
	name: string;
	last_four: string;
	/** null: every device of the account. */
	channels: string[] | null;
	/** Its pushes are written in Markdown. */
	markdown?: true;
	created_at: string;
	last_used_at: string | null;
	revoked_at: string | null;
	/** Open questions that it asked; revoking it can withdraw them. */
	open_questions: number;
	last_accepted_at: string | null;
	last_refused_at: string | null;
	/** Why that request was refused. */
	last_refusal: string | null;
	/** False: a key of the public API. */
	sender: boolean;
}

/** The only response that contains the key itself. */
export interface NewKeyResponse extends ConsoleKey {
	key: string;
}

export interface ConsoleMetric extends ShownMetric {
	/** The newest values, oldest first. */
	recent: Array<{ value: MetricValue; measured_at: string }>;
}

/** GET /console/api/metrics */
export interface MetricsPage extends ListPage {
	metrics: ConsoleMetric[];
}

/** GET /console/api/live: a page of what runs, and one of the streams that wait. */
export const liveQuery = z.strictObject({ page, streams_page: page });

export interface RunningActivity {
	activity: ShownActivity;
	channels: string[] | null;
	tags: string[];
	/** Paired phones it was sent to, except those that have dismissed it. */
	devices: number;
}

/** A stream that shows nothing: paused, or without an activity since someone ended it. */
export interface IdleStream {
	stream_key: string;
	paused_at: string | null;
	updated_at: string;
	/** The activity that it will show when resumed, and the number of phones that show it then. */
	remembered: ShownActivity | null;
	devices: number;
}

export interface LivePage extends ListPage {
	server_time: string;
	activities: RunningActivity[];
	streams: IdleStream[];
	streams_total: number;
	streams_page: number;
}
