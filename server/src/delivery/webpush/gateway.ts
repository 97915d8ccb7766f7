import type { PushSubscription } from '../../contract/device.ts';
import type { Database } from '../../store/database.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { ATTEMPT_LIMIT_MS, type Gateway, HANDED_OVER, type Outcome, STORED } from '../gateway.ts';
import { agentsFor, isPrivateAddressError } from '../public-agents.ts';
import { retryAfterMs } from '../backoff.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import { type MessageContent, toMessageContent } from '../message-content.ts';
import { AppleUpdates, isApples, WAITS } from './apple.ts';
import { encrypt } from './encrypt.ts';
import { toHeaders, MAX_TEXT_BYTES, type PushHeaders, formatMessage } from './message.ts';
import { post } from './request.ts';
import { Vapid, loadVapidKeys } from './vapid.ts';

/** Sockets to one push service; each carries one request at a time. */
const SOCKETS = 100;

/** Text limits in turn: after a 413 the next one applies. */
const SMALLER_TEXT_BYTES = [MAX_TEXT_BYTES, 2_000, 1_000];

export interface WebPushOptions {
	database: Database;
	now: () => number;
	/** mailto: or https URL where a push service can reach the operator. */
	contact: string;
	/** Also call addresses that are not public unicast (BECKON_WEB_PUSH_ALLOW_PRIVATE). */
	allowPrivate: boolean;
	/** True during a phone's quiet hours, and while it is muted. */
	isQuiet: (device: DeliveryDevice, now: number) => boolean;
}

/** Delivery to closed browsers through their vendors' push services (RFC 8030). */
export class WebPushGateway implements Gateway {
	readonly maxOpen = 200;
	/** Encrypting one takes a third of a millisecond. */
	readonly perTurn = 1;
	readonly #options: WebPushOptions;
	readonly #agents: ReturnType<typeof agentsFor>;
	readonly #appleUpdates: AppleUpdates;
	#vapid: Promise<Vapid> | undefined;

	constructor(options: WebPushOptions) {
		this.#options = options;
		this.#appleUpdates = new AppleUpdates(options.database, options.now);
		// Browsers choose the addresses, so they are checked like those of webhooks.
		this.#agents = agentsFor(options.allowPrivate, { keepAlive: true, maxSockets: SOCKETS });
	}

	async deliver(delivery: OutgoingDelivery): Promise<Outcome> {
		const { push_subscription_json: json } = delivery.device;
		if (json === null) return { kind: 'refused', reason: 'The browser has no subscription' };
		const content = toMessageContent(delivery.message, delivery);
		// It comes with the next notification, and is shown when the page opens.
		if (content.kind === 'badge') return STORED;
		const headers = toHeaders(delivery, content);
		const subscription = JSON.parse(json) as PushSubscription;
		if (isOfActivity(delivery.message) && isApples(subscription))
			return this.#toApple(delivery, content, () => this.#send(delivery, subscription, headers));
		return this.#send(delivery, subscription, headers);
	}

	close(): void {
		for (const agent of Object.values(this.#agents)) agent.destroy();
	}

	/** A Live Activity to a browser on iOS, which shows no change of it without a sound. */
	async #toApple(
		delivery: OutgoingDelivery,
		content: MessageContent,
		send: () => Promise<Outcome>,
	): Promise<Outcome> {
		const { isQuiet, now } = this.#options;
		if (delivery.isMuted || delivery.isHeld) return STORED;
		if (!('alert' in content) && isQuiet(delivery.device, now())) return STORED;
		const wait = await this.#appleUpdates.wait(delivery, content);
		if (wait > 0) return { kind: 'retry', reason: WAITS, retryAfterMs: wait };
		const outcome = await send();
		if (outcome.kind === 'handed_over') this.#appleUpdates.sent(delivery);
		return outcome;
	}

	async #send(
		delivery: OutgoingDelivery,
		subscription: PushSubscription,
		headers: PushHeaders,
	): Promise<Outcome> {
		const deadline = performance.now() + ATTEMPT_LIMIT_MS;
		for (const maxBytes of SMALLER_TEXT_BYTES) {
			const text = formatMessage(delivery, maxBytes);
			const outcome = await this.#post(subscription, headers, text, deadline);
			if (outcome) return outcome;
		}
		return { kind: 'refused', reason: 'The push service takes no message of this size' };
	}

	/** @returns undefined if the message was too large */
	async #post(
		{ endpoint, keys }: PushSubscription,
		pushHeaders: PushHeaders,
		text: string,
		deadline: number,
	): Promise<Outcome | undefined> {
		const { now } = this.#options;
		const vapid = await this.#loadVapid();
		const body = encrypt(text, keys);
		const headers = {
			...pushHeaders,
			authorization: vapid.authorization(new URL(endpoint).origin),
			'content-type': 'application/octet-stream',
			'content-encoding': 'aes128gcm',
		};
		try {
			const answer = await post(endpoint, headers, body, this.#agents, deadline);
			return toOutcome(answer.statusCode ?? 0, retryAfterMs(answer.headers['retry-after'], now()));
		} catch (error) {
			return toFailure(error);
		}
	}

	#loadVapid(): Promise<Vapid> {
		const { database, contact, now } = this.#options;
		this.#vapid ??= loadVapidKeys(database).then((keys) => new Vapid(keys, contact, now));
		this.#vapid.catch(() => (this.#vapid = undefined));
		return this.#vapid;
	}
}

/** Translates a push service's answer (RFC 8030 sections 5 and 8.4, RFC 8292 section 4.2). */
function toOutcome(status: number, wait: number | undefined): Outcome | undefined {
	const reason = `The push service answered ${status}`;
	if (status >= 200 && status < 300) return HANDED_OVER;
	if (status === 404 || status === 410) return { kind: 'gone', reason };
	if (status === 413) return undefined;
	if (status === 408 || status === 429 || status >= 500)
		return { kind: 'retry', reason, retryAfterMs: wait };
	return { kind: 'refused', reason };
}

/** Leaves out the address, which is as good as a key to the browser. */
function toFailure(error: unknown): Outcome {
	const message = error instanceof Error ? error.message : '';
	if (isPrivateAddressError(message)) {
		return {
			kind: 'refused',
			reason: 'The push service is not at a public address, which this server does not call',
		};
	}
	const code = error instanceof Error && 'code' in error ? String(error.code) : message;
	return { kind: 'retry', reason: `The push service could not be reached (${code})` };
}
