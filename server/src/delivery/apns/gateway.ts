import type { MessageKind } from '../../store/schema.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { type Gateway, type Outcome } from '../gateway.ts';
import { ApnsClient, type ApnsServices, type Environment } from './client.ts';
import {
	type ApnsNotification,
	type AppSettings,
	toForm,
	toHeaders,
	toNotification,
	type NotificationForm,
	tokenFor,
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

/** Advice for common mistakes with the credentials. */
const ADVICE: Record<string, string> = {
	InvalidProviderToken:
		'Compare BECKON_APNS_KEY_ID and BECKON_APNS_TEAM_ID with the key in BECKON_APNS_KEY_FILE.',
	ExpiredProviderToken: 'Set this machine’s clock.',
	TopicDisallowed: 'The key is not allowed to push to the app of BECKON_APNS_BUNDLE_ID.',
	BadTopic: 'Compare BECKON_APNS_BUNDLE_ID with the bundle id of the app.',
	DeviceTokenNotForTopic: 'Compare BECKON_APNS_BUNDLE_ID with the bundle id of the app.',
	BadEnvironmentKeyIdInToken: "The key is for the other of Apple's two services.",
	UnrelatedKeyIdInToken: 'The key belongs to another team.',
};

/** Delivery to the app on an iPhone through Apple's push service. */
export class ApnsGateway implements Gateway {
	readonly maxOpen = 1_000;
	readonly #settings: ApnsSettings;
	readonly #client: ApnsClient;
	readonly #now: () => number;
	/** The last form: a message to thousands of devices needs only one. */
	#form: { of: OutgoingDelivery; form: NotificationForm } | undefined;

	constructor(settings: ApnsSettings, now: () => number) {
		this.#settings = settings;
		this.#now = now;
		this.#client = new ApnsClient(settings, new ProviderToken(settings, now));
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
		const token = tokenFor(delivery);
		if (token === undefined)
			return { kind: 'no_token', reason: 'The activity has no token on this device yet' };
		const response = await this.#client.send(
			delivery.device.push_environment,
			this.#toNotification(delivery, token),
		);
		return toOutcome(response, TOKEN_KINDS[delivery.message.kind], this.#now());
	}

	#toNotification(delivery: OutgoingDelivery, token: string): ApnsNotification {
		const { message, isMuted, isHeld, device } = delivery;
		const last = this.#form?.of;
		const isSame =
			last?.message === message &&
			last.isMuted === isMuted &&
			last.isHeld === isHeld &&
			last.device.badge === device.badge;
		if (!this.#form || !isSame) {
			this.#form = { of: delivery, form: toForm(delivery, this.#settings) };
		}
		return toNotification(this.#form.form, delivery.pushDeliveryId ?? delivery.id, token);
	}

	/** Makes the device's widgets reload their content. @throws ApnsFailure if no answer arrived */
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
		return `APNs answered ${status} ${reason}. ${ADVICE[reason] ?? ''}`.trim();
	}

	close(): void {
		this.#client.close();
	}
}
