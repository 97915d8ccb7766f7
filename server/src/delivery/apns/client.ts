import { ATTEMPT_LIMIT_MS } from '../gateway.ts';
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

export interface ApnsServices {
	/** `https://host:port` of Apple's two services. */
	origins: Record<Environment, string>;
	/** Certificate authorities in PEM, instead of the system's. */
	ca?: readonly string[] | undefined;
}

/**
 * Sends requests to APNs over a few long-lived connections for each of its two services
 * (Apple: "Sending notification requests to APNs").
 */
export class ApnsClient {
	readonly #services: ApnsServices;
	readonly #token: ProviderToken;
	readonly #connections: Record<Environment, ApnsConnection[]> = { production: [], sandbox: [] };

	constructor(services: ApnsServices, token: ProviderToken) {
		this.#services = services;
		this.#token = token;
	}

	/** @throws ApnsFailure if no answer arrived within `ATTEMPT_LIMIT_MS`, all tries together */
	async send(environment: Environment, notification: ApnsNotification): Promise<ApnsResponse> {
		const deadline = performance.now() + ATTEMPT_LIMIT_MS;
		for (let tries = 1; ; tries += 1) {
			try {
				const left = Math.max(1, Math.round(deadline - performance.now()));
				const authorization = this.#token.authorization();
				const response = await this.#request(environment, notification, authorization, left);
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

	#request(
		environment: Environment,
		{ token, headers, payload }: ApnsNotification,
		authorization: string,
		limitMs: number,
	): Promise<ApnsResponse> {
		const path = HEXADECIMAL.test(token) ? token : encodeURIComponent(token);
		const request = [
			':method',
			'POST',
			':path',
			`/3/device/${path}`,
			'authorization',
			authorization,
			...headers,
		];
		return this.#connection(environment).request(request, payload, limitMs);
	}

	/** A connection with room; a new one if all are busy; the least busy once the limit is reached. */
	#connection(environment: Environment): ApnsConnection {
		const { origins, ca } = this.#services;
		const hasRoom = ({ isUsable, open }: ApnsConnection) =>
			isUsable && open < STREAMS_PER_CONNECTION;
		const free = this.#connections[environment].find(hasRoom);
		if (free) return free;
		const usable = this.#connections[environment].filter(({ isUsable }) => isUsable);
		this.#connections[environment] = usable;
		if (usable.length < MAX_CONNECTIONS) {
			const opened = new ApnsConnection({ origin: origins[environment], ca });
			usable.push(opened);
			return opened;
		}
		return usable.reduce((least, next) => (next.open < least.open ? next : least));
	}
}
