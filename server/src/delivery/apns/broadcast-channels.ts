import { BoundedMap } from '../../collections.ts';
import { HOUR_MS } from '../../durations.ts';
import {
	channelOf,
	forgetChannel,
	endedChannels,
	saveChannel,
} from '../../store/activities/broadcast-channels.ts';
import type { Database } from '../../store/database.ts';
import { MAX_ATTEMPT_MS } from '../gateway.ts';
import type { ApnsClient, Environment } from './client.ts';
import type { ApnsResponse } from './connection.ts';
import { readRefusal } from './outcomes.ts';

/** Channels remembered: one lookup serves the thousands of phones of an activity. */
const KNOWN = 1_000;

/** Channels deleted at once. */
const DELETED_AT_ONCE = 100;

/** For phones that are off: a channel keeps its last message, the end, for them until it is deleted. */
const KEPT_AFTER_END_MS = HOUR_MS;

/** Apple keeps the newest message for phones that are off. */
const CREATION = JSON.stringify({ 'message-storage-policy': 1, 'push-type': 'LiveActivity' });

/** Reasons for which Apple gives the app no channel: it already has 10,000, or is not allowed any. */
const NONE_LEFT = 'CannotCreateChannelConfig';
const NOT_ALLOWED = 'FeatureNotEnabled';

/** Apple does not have the channel, or no longer has it. */
export const GONE = 'ChannelNotRegistered';

/** Leaves time in the attempt for the start that follows a creation. */
const MANAGEMENT_TIMEOUT_MS = MAX_ATTEMPT_MS * 0.3;

interface Parts {
	client: ApnsClient;
	database: Database;
	bundleId: string;
	now: () => number;
}

/**
 * The channels over which phones get the updates of Live Activities, one for each activity and service (Apple:
 * "Sending channel management requests to APNs").
 */
export class BroadcastChannels {
	readonly #parts: Parts;
	readonly #known = new BoundedMap<string, Promise<string | undefined>>(KNOWN);

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/**
	 * The activity's channel, created if there is none.
	 * @returns undefined if the app may have none
	 * @throws Error if Apple did not respond, or refused for another reason
	 */
	async open(activityId: string, environment: Environment): Promise<string | undefined> {
		return (
			(await this.find(activityId, environment)) ??
			this.#remember(activityId, environment, () => this.#create(activityId, environment))
		);
	}

	/** The activity's channel; undefined if it was started without one. */
	find(activityId: string, environment: Environment): Promise<string | undefined> {
		const { read } = this.#parts.database;
		return this.#remember(activityId, environment, async () => {
			return (await channelOf(read, activityId, environment))?.channel_id;
		});
	}

	/** Forgets a channel that Apple no longer knows. */
	async forget(activityId: string, environment: Environment): Promise<void> {
		this.#known.delete(`${activityId} ${environment}`);
		await this.#parts.database.write(null, (db) => forgetChannel(db, activityId, environment));
	}

	/** Deletes channels of activities that have ended. @returns their number */
	async deleteEnded(keptMs = KEPT_AFTER_END_MS): Promise<number> {
		const { database, now } = this.#parts;
		const ended = await endedChannels(database.read, {
			now: now(),
			keptMs,
			limit: DELETED_AT_ONCE,
		});
		const deleted = await Promise.all(
			ended.map(async ({ activity_id: id, environment, channel_id: channel }) => {
				const isGone = await this.#delete(environment, channel);
				if (isGone) await this.forget(id, environment);
				return isGone;
			}),
		);
		return deleted.filter(Boolean).length;
	}

	/** The number of the app's channels at Apple. @returns the reason if it may have none */
	async count(environment: Environment): Promise<number | string> {
		const response = await this.#manage(environment, 'GET', { path: 'all-channels' });
		if (response.status !== 200) return refusalWords(response);
		return (JSON.parse(response.body) as { channels: string[] }).channels.length;
	}

	async #create(activityId: string, environment: Environment): Promise<string | undefined> {
		const { database, now } = this.#parts;
		const response = await this.#manage(environment, 'POST', { payload: CREATION });
		const { reason } = readRefusal(response.body);
		if (reason === NOT_ALLOWED) return undefined;
		// The next attempt may find room.
		if (reason === NONE_LEFT) await this.deleteEnded(0);
		const channel = response.headers['apns-channel-id'];
		if (response.status !== 201 || typeof channel !== 'string')
			throw new Error(`APNs gave no channel: ${refusalWords(response)}`);
		const row = { activity_id: activityId, environment, channel_id: channel, created_at: now() };
		const saved = await database.write(null, (db) => saveChannel(db, row));
		// Another server has created one at the same time.
		if (saved !== channel) await this.#delete(environment, channel);
		return saved;
	}

	/** @returns whether Apple no longer has it */
	async #delete(environment: Environment, channel: string): Promise<boolean> {
		const headers = ['apns-channel-id', channel];
		const { status, body } = await this.#manage(environment, 'DELETE', { headers });
		// Another server may have deleted it.
		return status === 204 || readRefusal(body).reason === GONE;
	}

	#manage(
		environment: Environment,
		method: 'POST' | 'GET' | 'DELETE',
		{ path = 'channels', headers = [] as string[], payload = '' },
	): Promise<ApnsResponse> {
		const { client, bundleId } = this.#parts;
		const request = { method, path: `/1/apps/${bundleId}/${path}`, headers, payload };
		return client.request(`${environment}_channels`, request, MANAGEMENT_TIMEOUT_MS);
	}

	/** Shares one lookup or creation among the phones of an activity; one without a result is repeated. */
	#remember(activityId: string, environment: Environment, find: () => Promise<string | undefined>) {
		const key = `${activityId} ${environment}`;
		const remembered = this.#known.get(key);
		if (remembered) return remembered;
		const found = find();
		this.#known.set(key, found);
		const forgetUnless = (channel?: string) => {
			if (channel === undefined && this.#known.get(key) === found) this.#known.delete(key);
		};
		found.then(forgetUnless, () => forgetUnless());
		return found;
	}
}

function refusalWords({ status, body }: ApnsResponse): string {
	return `${status} ${readRefusal(body).reason ?? 'no reason'}`;
}
