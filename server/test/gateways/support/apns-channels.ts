import type { IncomingHttpHeaders } from 'node:http2';
import type { Refused } from './apns-rules.ts';

const refused = (reason: string, status = 400): Refused => ({ status, reason });

export interface Answer {
	status: number;
	headers?: Record<string, string>;
	body?: object;
}

/** Base64, as Apple's ids of channels are. */
const CHANNEL_ID = /^[A-Za-z0-9+/]{8,}={0,2}$/;

/**
 * The channels of one app, by the rules that Apple publishes ("Sending channel management requests to APNs", "Sending
 * broadcast push notification requests to APNs", "Handling error responses from Apple Push Notification service").
 */
export class StandInChannels {
	/** The open channels, with the push-to-start tokens of the phones that listen to them. */
	readonly open = new Map<string, Set<string>>();
	/** Those that Apple allows for an app. */
	max = 10_000;
	/** False: the app's identifier lacks the broadcast capability. */
	isAllowed = true;
	/** Every management request answered with success, such as `POST`. */
	readonly managed: string[] = [];
	readonly #bundleId: string;
	#made = 0;

	constructor(bundleId: string) {
		this.#bundleId = bundleId;
	}

	/** Answers a management request; undefined if it is something else. */
	manage(headers: IncomingHttpHeaders, body: string): Answer | Refused | undefined {
		const path = headers[':path'] ?? '';
		if (!path.startsWith('/1/apps/')) return undefined;
		const answer = this.#manage(`${headers[':method']} ${path}`, headers, body);
		if (!('reason' in answer)) this.managed.push(String(headers[':method']));
		return answer;
	}

	#manage(request: string, headers: IncomingHttpHeaders, body: string): Answer | Refused {
		const app = `/1/apps/${this.#bundleId}`;
		// Apple compares the topic in lower case only.
		if (!request.includes(`${app}/`) || app !== app.toLowerCase()) return refused('TopicMismatch');
		if (!this.isAllowed) return refused('FeatureNotEnabled');
		switch (request) {
			case `POST ${app}/channels`:
				return this.#create(body);
			case `GET ${app}/all-channels`:
				return { status: 200, body: { channels: [...this.open.keys()] } };
			case `DELETE ${app}/channels`: {
				const wrong = this.#checkChannel(headers);
				if (wrong) return wrong;
				this.open.delete(String(headers['apns-channel-id']));
				return { status: 204 };
			}
			default:
				return refused('BadPath', 404);
		}
	}

	#create(body: string): Answer | Refused {
		const { 'push-type': type, 'message-storage-policy': policy, ...more } = JSON.parse(body);
		if (type === undefined) return refused('MissingPushType');
		if (type !== 'LiveActivity') return refused('InvalidPushType');
		if (![0, 1].includes(policy) || Object.keys(more).length > 0) return refused('BadMessage');
		if (this.open.size >= this.max) return refused('CannotCreateChannelConfig');
		this.#made += 1;
		const id = Buffer.from(`channel number ${this.#made}`).toString('base64');
		this.open.set(id, new Set());
		return { status: 201, headers: { 'apns-channel-id': id } };
	}

	#checkChannel({ 'apns-channel-id': id }: IncomingHttpHeaders): Refused | undefined {
		if (id === undefined) return refused('MissingChannelId');
		if (!CHANNEL_ID.test(String(id))) return refused('BadChannelId');
		return this.open.has(String(id)) ? undefined : refused('ChannelNotRegistered');
	}

	/** The rules of a broadcast's headers and payload. */
	checkBroadcast(headers: IncomingHttpHeaders, text: string): Refused | undefined {
		if (headers[':method'] !== 'POST') return refused('MethodNotAllowed', 405);
		if (headers[':path'] !== `/4/broadcasts/apps/${this.#bundleId}`) return refused('BadPath', 404);
		if (headers['apns-push-type'] === undefined) return refused('MissingPushType');
		if (String(headers['apns-push-type']).toLowerCase() !== 'liveactivity')
			return refused('InvalidPushType');
		if (headers['apns-topic'] !== undefined || headers['apns-collapse-id'] !== undefined)
			return refused('BadHeader');
		if (!['1', '5', '10'].includes(String(headers['apns-priority']))) return refused('BadPriority');
		if (!/^\d+$/.test(String(headers['apns-expiration']))) return refused('BadExpirationDate');
		if (!this.isAllowed) return refused('FeatureNotEnabled');
		if (Buffer.byteLength(text) > 5_120) return refused('PayloadTooLarge', 413);
		const { aps, ...more } = JSON.parse(text);
		const isBroadcast = ['update', 'end'].includes(aps?.event) && Number.isInteger(aps.timestamp);
		if (!isBroadcast || Object.keys(more).length > 0) return refused('PayloadEmpty');
		return this.#checkChannel(headers);
	}

	/** A phone that starts an activity with a channel listens to it. */
	started(token: string, { aps }: { aps?: Record<string, unknown> }): void {
		this.open.get(String(aps?.['input-push-channel']))?.add(token);
	}
}
