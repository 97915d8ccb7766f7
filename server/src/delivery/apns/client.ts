import { MAX_ATTEMPT_MS } from '../gateway.ts';
import { ApnsConnection, ApnsFailure, type ApnsResponse } from './connection.ts';
import type { ApnsNotification } from './notification.ts';
import type { ProviderToken } from './provider-token.ts';

/** Below Apple's limit per connection (1,000), so a burst opens another one in time. */
const STREAMS_PER_CONNECTION = 500;
const MAX_CONNECTIONS = 4;

/** Tries on further connections for a request the first one never processed. */
const MAX_TRIES = 3;

/** The format of Apple's tokens, which need no encoding in a path. */
const HEXADECIMAL = /^[0-9a-f]+$/i;

export type Environment = 'production' | 'sandbox';

/** Where requests go: notifications to one of Apple's two services, and the management of their channels elsewhere. */
type Service = Environment | `${Environment}_channels`;

export interface ApnsServices {
	/** `https://host:port` */
	origins: Record<Service, string>;
	/** Certificate authorities in PEM, instead of the system's. */
	ca?: readonly string[] | undefined;
}

interface ApnsRequest {
	method: 'POST' | 'GET' | 'DELETE';
	path: string;
	/** Alternating names and values. */
	headers: readonly string[];
	payload: string;
}

/**
 * Sends requests to APNs over a few long-lived connections for each of its services
 * (Apple: "Sending notification requests to APNs").
 */
export class ApnsClient {
	readonly #services: ApnsServices;
	readonly #token: ProviderToken;
	readonly #connections: Record<Service, ApnsConnection[]> = {
		production: [],
		sandbox: [],
		production_channels: [],
		sandbox_channels: [],
	};

	constructor(services: ApnsServices, token: ProviderToken) {
		this.#services = services;
		this.#token = token;
	}

	/** Sends a notification to a device. @throws as `request` */
	send(environment: Environment, { token, headers, payload }: ApnsNotification, limitMs?: number) {
		const path = `/3/device/${HEXADECIMAL.test(token) ? token : encodeURIComponent(token)}`;
		return this.request(environment, { method: 'POST', path, headers, payload }, limitMs);
	}

	/** @throws ApnsFailure if no response arrived within `limitMs`, all tries together */
	async request(
		service: Service,
		{ method, path, headers, payload }: ApnsRequest,
		limitMs = MAX_ATTEMPT_MS,
	): Promise<ApnsResponse> {
		const deadline = performance.now() + limitMs;
		for (let tries = 1; ; tries += 1) {
			try {
				const left = Math.max(1, Math.round(deadline - performance.now()));
				const authorization = this.#token.authorization();
				const sent = [':method', method, ':path', path, 'authorization', authorization, ...headers];
				const response = await this.#connection(service).request(sent, payload, left);
				const isExpired = response.status === 403 && response.body.includes('ExpiredProviderToken');
				if (!isExpired || tries >= MAX_TRIES || !this.#token.renew(authorization)) return response;
			} catch (error) {
				const mayTryAgain = error instanceof ApnsFailure && error.isUnprocessed;
				if (!mayTryAgain || tries >= MAX_TRIES || performance.now() >= deadline) throw error;
			}
		}
	}

	close(): void {
		for (const pool of Object.values(this.#connections)) {
			for (const connection of pool.splice(0)) connection.close();
		}
	}

	/** A connection with room; a new one if all are busy; the least busy once the limit is reached. */
	#connection(service: Service): ApnsConnection {
		const { origins, ca } = this.#services;
		const hasRoom = ({ isUsable, open }: ApnsConnection) =>
			isUsable && open < STREAMS_PER_CONNECTION;
		const free = this.#connections[service].find(hasRoom);
		if (free) return free;
		const usable = this.#connections[service].filter(({ isUsable }) => isUsable);
		this.#connections[service] = usable;
		if (usable.length < MAX_CONNECTIONS) {
			const opened = new ApnsConnection({ origin: origins[service], ca });
			usable.push(opened);
			return opened;
		}
		return usable.reduce((least, next) => (next.open < least.open ? next : least));
	}
}
