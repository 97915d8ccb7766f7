import type { PushMessage, PushSubscription } from '../../contract/device.ts';
import type { Database } from '../../store/database.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import {
	MAX_ATTEMPT_MS,
	type Gateway,
	HANDED_OVER,
	type Outcome,
	STORED,
	retryAfterMs,
} from '../gateway.ts';
import { agentsFor, codeOf, isPrivateAddressError } from '../public-agents.ts';
import { Groups } from '../../collections.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import { type MessageContent, toMessageContent } from '../message-content.ts';
import { AppleUpdates, isAppleSubscription, WAITS } from './apple.ts';
import { encrypt } from './encrypt.ts';
import {
	toHeaders,
	MAX_TEXT_BYTES,
	type PushHeaders,
	formatMessage,
	cutMessage,
} from './message.ts';
import { Vapid, loadVapidKeys } from './vapid.ts';
import http from 'node:http';
import https from 'node:https';

/** Sockets to one push service; each carries one request at a time. */
const SOCKETS = 100;

/** Text limits in turn: after a 413 the next one applies. */
const TEXT_LIMITS_BYTES = [MAX_TEXT_BYTES, 2_000, 1_000];

interface WebPushOptions {
	database: Database;
	now: () => number;
	/** mailto: or https URL where a push service can reach the operator. */
	contact: string;
	/** Also call addresses that are not public unicast (BECKON_WEB_PUSH_ALLOW_PRIVATE). */
	allowPrivate: boolean;
	/** True during a phone's quiet hours, and while it is muted. */
	isQuiet: (device: DeliveryDevice, now: number) => boolean;
}

const BUSY: Outcome = { kind: 'retry', reason: 'Too many pushes to this person are waiting' };

/** Delivery to closed browsers through their vendors' push services (RFC 8030). */
export class WebPushGateway implements Gateway {
	readonly maxOpenPerAccount = 200;
	/** The attempts in progress, by the phone's person. */
	readonly #open = new Groups<OutgoingDelivery>();
	/** Encrypting one takes a third of a millisecond. */
	readonly perTurn = 1;
	readonly #options: WebPushOptions;
	readonly #agents: ReturnType<typeof agentsFor>;
	readonly #appleUpdates: AppleUpdates;
	#vapid: Promise<Vapid> | undefined;
	/** The last form: a message to thousands of browsers is cut once. */
	#form: { of: OutgoingDelivery; maxBytes: number; form: PushMessage } | undefined;

	constructor(options: WebPushOptions) {
		this.#options = options;
		this.#appleUpdates = new AppleUpdates(options.database, options.now);
		// Browsers choose the addresses, so they are checked like those of webhooks.
		this.#agents = agentsFor(options.allowPrivate, { keepAlive: true, maxSockets: SOCKETS });
	}

	/** Caps one person at half of the account's slots, so that a hanging push service cannot block the others. */
	async deliver(delivery: OutgoingDelivery): Promise<Outcome> {
		const { user_id: person } = delivery.device;
		const { size } = this.#open.join(person, delivery);
		try {
			return size > this.maxOpenPerAccount / 2 ? BUSY : await this.#deliver(delivery);
		} finally {
			this.#open.leave(person, delivery);
		}
	}

	async #deliver(delivery: OutgoingDelivery): Promise<Outcome> {
		const { push_subscription_json: json } = delivery.device;
		if (json === null) return { kind: 'refused', reason: 'The browser has no subscription' };
		const content = toMessageContent(delivery.message, delivery);
		// It comes with the next notification, and is shown when the page opens.
		if (content.kind === 'badge') return STORED;
		const headers = toHeaders(delivery, content, this.#options.now());
		const subscription = JSON.parse(json) as PushSubscription;
		if (isOfActivity(delivery.message) && isAppleSubscription(subscription))
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

	async #send(delivery: OutgoingDelivery, subscription: PushSubscription, headers: PushHeaders) {
		const deadline = performance.now() + MAX_ATTEMPT_MS;
		for (const maxBytes of TEXT_LIMITS_BYTES) {
			const text = this.#toText(delivery, maxBytes);
			const outcome = await this.#post(subscription, headers, text, deadline);
			if (outcome) return outcome;
		}
		return {
			kind: 'refused',
			reason: 'The push service takes no message of this size',
		} satisfies Outcome;
	}

	#toText(delivery: OutgoingDelivery, maxBytes: number): string {
		const { of: last, form } = this.#form ?? {};
		const isSame =
			last?.message === delivery.message &&
			last.isMuted === delivery.isMuted &&
			last.isHeld === delivery.isHeld &&
			this.#form?.maxBytes === maxBytes;
		if (form && isSame) {
			const text = formatMessage(delivery, form);
			// This delivery's id or badge may be longer.
			if (Buffer.byteLength(text) <= maxBytes) return text;
		}
		this.#form = { of: delivery, maxBytes, form: cutMessage(delivery, maxBytes) };
		return formatMessage(delivery, this.#form.form);
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
			const response = await post(endpoint, headers, body, this.#agents, deadline);
			const retryAfter = retryAfterMs(response.headers['retry-after'], now());
			return toOutcome(response.statusCode ?? 0, retryAfter);
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

/** Translates a push service's response (RFC 8030 sections 5 and 8.4, RFC 8292 section 4.2). */
function toOutcome(status: number, wait: number | undefined): Outcome | undefined {
	const reason = `The push service answered ${status}`;
	if (status >= 200 && status < 300) return HANDED_OVER;
	if (status === 404 || status === 410) return { kind: 'retry', reason, isUnsubscribed: true };
	if (status === 413) return undefined;
	if (status === 408 || status === 429 || status >= 500)
		return { kind: 'retry', reason, retryAfterMs: wait };
	return { kind: 'refused', reason };
}

/** Leaves out the address, which is as good as a key to the browser. */
function toFailure(error: unknown): Outcome {
	if (isPrivateAddressError(error))
		return {
			kind: 'refused',
			reason: 'The push service is not at a public address, and this server calls no others',
		};
	const code = codeOf(error) ?? (error instanceof Error ? error.message : '');
	return { kind: 'retry', reason: `The push service could not be reached (${code})` };
}

/** Shared: creating an error for each request takes time, and this one is rarely reported. */
const NO_RESPONSE = new Error('the connection was closed without an answer');

/**
 * Posts to a push service. Does not follow redirects.
 * @param deadline of the attempt, as `performance.now()` tells the time
 * @returns the response; its body is discarded
 * @throws a Node.js system error, or one from the address check of the agents
 */
function post(
	url: string,
	headers: http.OutgoingHttpHeaders,
	body: Buffer,
	{ httpAgent, httpsAgent }: ReturnType<typeof agentsFor>,
	deadline: number,
): Promise<http.IncomingMessage> {
	const isPlain = url.startsWith('http:');
	return new Promise((resolve, reject) => {
		const request = (isPlain ? http : https).request(url, {
			method: 'POST',
			headers: { ...headers, 'content-length': body.length },
			agent: isPlain ? httpAgent : httpsAgent,
		});
		const limit = setTimeout(
			() => request.destroy(new Error(`no answer within ${MAX_ATTEMPT_MS / 1_000} s`)),
			Math.max(1, deadline - performance.now()),
		);
		// Nobody needs the response's text, but the socket is needed again.
		request.once('response', (response) => response.resume().once('end', () => resolve(response)));
		request.once('error', reject);
		request.once('close', () => {
			clearTimeout(limit);
			reject(NO_RESPONSE);
		});
		request.end(body);
	});
}
