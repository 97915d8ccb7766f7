import { expect } from '@jest/globals';
import { createAccount } from '../../../src/service/accounts/accounts.ts';
import { createPairCode, pair } from '../../../src/service/phones/pairing.ts';
import { createApiKey } from '../../../src/service/keys-and-channels/api-keys.ts';
import type { ActingContext } from '../../../src/service/audit.ts';
import { createMetric } from '../../../src/service/metrics.ts';
import type { LimitProbe } from './limit-probe.ts';

export const FEATURES = ['notifications', 'badges', 'metrics'] as const;
export type Feature = (typeof FEATURES)[number];

/** The values that a phone may show: the last one answered, and any sent after it without an answer. */
class Shown {
	possible: number[] = [];

	sent(value: number, status: number | undefined): void {
		if (status === 200) this.possible = [value];
		else if (status === undefined) this.possible.push(value);
	}
}

/** An account with one phone, which records what it was answered. */
export class Customer {
	/** Titles in the order of sending, with the status; undefined without an answer. */
	readonly pushes = new Map<string, number | undefined>();
	readonly badge = new Shown();
	readonly metric = new Shown();
	readonly #key: string;
	readonly #token: string;
	readonly #url: () => string;
	#counter = 0;

	private constructor(key: string, token: string, url: () => string) {
		this.#key = key;
		this.#token = token;
		this.#url = url;
	}

	/** @param url the address for the next request */
	static async create(context: ActingContext, name: string, url: () => string): Promise<Customer> {
		const { account } = await createAccount(context, {
			name,
			owner: 'owner@example.com',
			plan: 'paid',
		});
		await createMetric(context, account.id, { key: 'load', name: 'Load', format: 'number' });
		const { key } = await createApiKey(context, account.id, { name: 'test' });
		const { code } = await createPairCode(context, account.id, 'owner');
		const { token } = await pair(context, { code, name: 'Phone', platform: 'web' });
		return new Customer(key, token, url);
	}

	/** Sends one request of the feature, each with a higher number. @returns the status */
	async send(feature: Feature, probe: LimitProbe): Promise<number | undefined> {
		const number = (this.#counter += 1);
		const call = (path: string, body: object) => probe.ask(() => this.#post(path, body));
		switch (feature) {
			case 'notifications': {
				const title = `${number}`;
				const status = await call('/push-notification', { title });
				this.pushes.set(title, status);
				return status;
			}
			case 'badges': {
				const status = await call('/badge', { badge: number });
				this.badge.sent(number, status);
				return status;
			}
			case 'metrics': {
				const status = await call('/metrics/load/value', { value: number });
				this.metric.sent(number, status);
				return status;
			}
		}
	}

	/** Checks that its phone has everything answered, once and in order, and nothing refused. */
	async holdPromises(): Promise<void> {
		const titles: string[] = [];
		for (let after = 0; ;) {
			const { deliveries, cursor } = await this.#get(`/device/inbox?limit=500&after=${after}`);
			if (deliveries.length === 0) break;
			for (const { push } of deliveries) if (push) titles.push(push.title);
			after = cursor;
		}
		const arrived = new Set(titles);
		const expected = [...this.pushes].filter(
			([title, status]) => status === 200 || (status === undefined && arrived.has(title)),
		);
		expect(titles).toEqual(expected.map(([title]) => title));
		const { badge, metrics } = await this.#get('/device/snapshot');
		expect(this.badge.possible).toContain(badge);
		expect(this.metric.possible).toContain(metrics[0].value);
	}

	#post(path: string, body: object): Promise<Response> {
		return fetch(`${this.#url()}/api${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(20_000),
		});
	}

	async #get(path: string): Promise<any> {
		const answer = await fetch(`${this.#url()}${path}`, {
			headers: { authorization: `Bearer ${this.#token}` },
		});
		expect(answer.status).toBe(200);
		return answer.json();
	}
}
