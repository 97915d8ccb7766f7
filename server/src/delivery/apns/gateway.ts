import type { Database } from '../../store/database.ts';
import type { MessageKind } from '../../store/schema.ts';
import { isQuietSomewhere } from '../../store/outbox/delivered.ts';
import { showAsNotification } from '../../store/activities/activity-devices.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import { toApp } from '../../store/phones/device-audience.ts';
import { HOUR_MS } from '../../durations.ts';
import { BoundedMap } from '../../collections.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import { adviceFor } from '../advice.ts';
import { MAX_ATTEMPT_MS, type Gateway, HANDED_OVER, isSuccess, type Outcome } from '../gateway.ts';
import { toMessageContent } from '../message-content.ts';
import { BroadcastChannels, GONE } from './broadcast-channels.ts';
import { ApnsClient, type ApnsServices, type Environment } from './client.ts';
import {
	type ApnsNotification,
	type AppSettings,
	type NotificationForm,
	toActivityAlert,
	toBroadcast,
	toForm,
	toHeaders,
	tokenFor,
	toApnsNotification,
	widgetReload,
} from './notification.ts';
import { readRefusal, type TokenKind, toOutcome } from './outcomes.ts';
import { type ProviderKey, ProviderToken } from './provider-token.ts';

export type ApnsSettings = ProviderKey & AppSettings & ApnsServices;

const TOKEN_KINDS: Record<MessageKind, TokenKind> = {
	push: 'device',
	push_update: 'device',
	badge: 'device',
	activity_start: 'push_to_start',
	activity_update: 'activity',
	activity_end: 'activity',
};

/** After this many failed attempts to create a channel, an activity starts without one. */
const ATTEMPTS_WITH_CHANNEL = 3;

/**
 * Live Activities that iOS starts on a phone in a short time, as Apple's engineers say (developer forums, 799505); it
 * drops further ones, and APNs does not report it.
 */
const STARTS = { most: 10, withinMs: HOUR_MS };

/** For the history; `ADVICE` explains it. */
const AS_NOTIFICATION = {
	...HANDED_OVER,
	note: `Sent as a notification: ${STARTS.most} Live Activities were started on this phone within an hour`,
};

/** Broadcasts remembered, so that later deliveries of the same message do not send another one. */
const KEPT_BROADCASTS = 1_000;

interface Broadcast {
	outcome: Outcome;
	/** True if it was sent without its alert, which phones that may be interrupted then get as a notification. */
	isSilenced: boolean;
}

/** Delivery to the app on an iPhone through Apple's push service. */
export class ApnsGateway implements Gateway {
	readonly maxOpen = 1_000;
	readonly perTurn = 5;
	readonly #settings: ApnsSettings;
	readonly #client: ApnsClient;
	readonly #now: () => number;
	readonly #database: Database;
	readonly channels: BroadcastChannels;
	readonly linkKeyOf: AppSettings['linkKeyOf'];
	/** The last form: a message to thousands of devices needs only one. */
	#form: { of: OutgoingDelivery; channel: string | undefined; form: NotificationForm } | undefined;
	/** Broadcasts, by channel and message: one serves all phones. */
	readonly #broadcasts = new BoundedMap<string, Promise<Broadcast>>(KEPT_BROADCASTS);

	constructor(settings: ApnsSettings, database: Database, now: () => number) {
		this.#settings = settings;
		this.linkKeyOf = settings.linkKeyOf;
		this.#database = database;
		this.#now = now;
		this.#client = new ApnsClient(settings, new ProviderToken(settings, now));
		this.channels = new BroadcastChannels({ ...settings, client: this.#client, database, now });
	}

	/** True if the device has registered the token this message is sent to. */
	reaches(delivery: OutgoingDelivery): boolean {
		const { message, device } = delivery;
		if (device.platform !== 'ios') return false;
		// An activity's token arrives later than the activity, and may be replaced.
		if (TOKEN_KINDS[message.kind] === 'activity') return device.push_token !== null;
		return tokenFor(delivery) !== undefined;
	}

	async deliver(delivery: OutgoingDelivery): Promise<Outcome> {
		const { message, device } = delivery;
		const takesChannels = toApp(device)?.channels ?? false;
		const isStart = message.kind === 'activity_start';
		const token = tokenFor(delivery);
		if (token === undefined) {
			const channel =
				takesChannels && (await this.channels.find(message.history_id, device.push_environment));
			if (channel) return this.#broadcastTo(delivery, channel);
			return { kind: 'no_token', reason: 'The activity has no token on this device yet' };
		}
		const { push_token: pushToken } = device;
		// In place of the activity's own token.
		if (isOfActivity(message) && token === pushToken)
			return this.#notify(delivery, token, { isInstead: true });
		const isCounted = isStart && takesChannels;
		const channel = isCounted ? await this.#openChannel(delivery) : undefined;
		if (isCounted && pushToken !== null && !(await this.#mayStart(device.id)))
			return this.#startAsNotification(delivery, pushToken);
		const response = await this.#client.send(
			device.push_environment,
			this.#toNotification(delivery, token, channel),
			isStart ? MAX_ATTEMPT_MS / 2 : undefined,
		);
		return toOutcome(response, TOKEN_KINDS[message.kind], this.#now());
	}

	/**
	 * The channel for an activity's updates; undefined if Apple gives none: updates then wait for the activity's token.
	 * @throws Error for the first attempts, so that they are repeated
	 */
	async #openChannel({ message, device, attempts }: OutgoingDelivery): Promise<string | undefined> {
		try {
			return await this.channels.open(message.history_id, device.push_environment);
		} catch (error) {
			if (attempts < ATTEMPTS_WITH_CHANNEL) throw error;
			return undefined;
		}
	}

	/** Sends an update or an end to all phones that show the activity, once, however many deliveries ask for it. */
	async #broadcastTo(delivery: OutgoingDelivery, channel: string): Promise<Outcome> {
		const { message, device, isMuted, isHeld } = delivery;
		const key = `${channel} ${message.id}`;
		const sent = this.#broadcasts.getOr(key, () => this.#broadcast(delivery, channel));
		let broadcast: Broadcast | undefined;
		try {
			broadcast = await sent;
		} finally {
			const isDone = broadcast && isSuccess(broadcast.outcome);
			if (!isDone && this.#broadcasts.get(key) === sent) this.#broadcasts.delete(key);
		}
		const { outcome, isSilenced } = broadcast;
		const { push_token: token } = device;
		const mayInterrupt = !isMuted && !isHeld && isSilenced;
		if (!isSuccess(outcome) || !mayInterrupt || token === null) return outcome;
		return this.#notify(delivery, token, { isInstead: false });
	}

	/** Counts a start on the phone, whatever its outcome. @returns false if iOS would drop it */
	async #mayStart(deviceId: string): Promise<boolean> {
		const limit = { key: `push-to-start ${deviceId}`, quota: STARTS.most };
		const { rateWindows } = this.#database;
		return (await rateWindows.consume([limit], STARTS.withinMs, this.#now())).allowed;
	}

	/** Sends a start as a notification; its updates and its end follow as notifications too. */
	async #startAsNotification(delivery: OutgoingDelivery, token: string): Promise<Outcome> {
		const outcome = await this.#notify(delivery, token, { isInstead: true });
		if (!isSuccess(outcome)) return outcome;
		const key = { activity_id: delivery.message.history_id, device_id: delivery.device.id };
		await this.#database.write(null, (db) => showAsNotification(db, [{ ...key, token }]));
		return AS_NOTIFICATION;
	}

	/** Sends a message about a Live Activity as a notification. @param isInstead as for `toActivityAlert` */
	async #notify(
		delivery: OutgoingDelivery,
		token: string,
		{ isInstead }: { isInstead: boolean },
	): Promise<Outcome> {
		const { push_environment: environment } = delivery.device;
		const form = toActivityAlert(delivery, this.#settings, isInstead);
		const notification = toApnsNotification(form, delivery.id, token);
		const response = await this.#client.send(environment, notification, MAX_ATTEMPT_MS / 2);
		return toOutcome(response, 'device', this.#now());
	}

	/**
	 * Without its alert, if that must not interrupt one of the phones (Apple: "Sending broadcast push notification
	 * requests to APNs").
	 */
	async #broadcast(delivery: OutgoingDelivery, channel: string): Promise<Broadcast> {
		const { message, device } = delivery;
		const { push_environment: environment } = device;
		const hasAlert = 'alert' in toMessageContent(message, { isMuted: false, isHeld: false });
		const isSilenced = hasAlert && (await isQuietSomewhere(this.#database.read, message.id));
		const form = toForm({ ...delivery, isMuted: isSilenced, isHeld: false }, this.#settings);
		const topic = form.headers.indexOf('apns-topic');
		const response = await this.#client.request(
			environment,
			{
				method: 'POST',
				path: `/4/broadcasts/apps/${this.#settings.bundleId}`,
				headers: ['apns-channel-id', channel, ...form.headers.toSpliced(topic, 2)],
				payload: toBroadcast(form),
			},
			MAX_ATTEMPT_MS / 2,
		);
		const isGone = readRefusal(response.body).reason === GONE;
		if (isGone) await this.channels.forget(message.history_id, environment);
		return { outcome: toOutcome(response, 'activity', this.#now()), isSilenced };
	}

	#toNotification(delivery: OutgoingDelivery, token: string, channel?: string): ApnsNotification {
		const { message, isMuted, isHeld, device } = delivery;
		const last = this.#form?.of;
		const isSame =
			last?.message === message &&
			last.isMuted === isMuted &&
			last.isHeld === isHeld &&
			last.device.badge === device.badge &&
			last.device.app_json === device.app_json &&
			this.#form?.channel === channel;
		if (!this.#form || !isSame) {
			const form = toForm(delivery, this.#settings, channel);
			this.#form = { of: delivery, channel, form };
		}
		return toApnsNotification(this.#form.form, delivery.pushDeliveryId ?? delivery.id, token);
	}

	/** Makes the device's widgets reload their content. @throws ApnsFailure if no response arrived */
	async reloadWidgets(environment: Environment, token: string): Promise<Outcome> {
		const response = await this.#client.send(environment, widgetReload(token, this.#settings));
		return toOutcome(response, 'activity', this.#now());
	}

	/**
	 * Sends APNs a push for a token no device has. If APNs objects only to the token, then key,
	 * team and app are right.
	 * @returns the problem, undefined if there is none
	 */
	async check(environment: Environment): Promise<string | undefined> {
		const { status, body } = await this.#client.send(environment, {
			token: '0'.repeat(64),
			headers: toHeaders(this.#settings, 'alert', {}),
			payload: JSON.stringify({ aps: { badge: 0 } }),
		});
		const { reason = 'no reason' } = readRefusal(body);
		if (status === 200 || reason === 'BadDeviceToken') return undefined;
		return `APNs answered ${status} ${reason}. ${adviceFor(reason) ?? ''}`.trim();
	}

	close(): void {
		this.#client.close();
	}
}
