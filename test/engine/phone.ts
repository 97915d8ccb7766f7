import { randomUUID } from 'node:crypto';

import type {
	Delivery,
	Inbox,
	PairRequest,
	Snapshot,
	TapResponse,
} from '../../server/src/contract/device.ts';
import type { PhoneAnswerResponse } from '../../server/src/contract/questions.ts';

/** A phone as described in docs/device-protocol.md, without a screen: it reports what it received. */
export class Phone {
	readonly id: string;

	private readonly url: string;

	private readonly token: string;

	constructor(url: string, id: string, token: string) {
		this.url = url;
		this.id = id;
		this.token = token;
	}

	/** @param url the server's address */
	static async pair(url: string, request: PairRequest): Promise<Phone> {
		const { device, token } = await call<{ device: { id: string }; token: string }>(
			`${url}/device/pair`,
			{
				method: 'POST',
				body: JSON.stringify(request),
				headers: { 'content-type': 'application/json' },
			},
		);
		return new Phone(url, device.id, token);
	}

	/** The current contents of its lock screen. */
	async snapshot(): Promise<Snapshot> {
		return await this.get('/device/snapshot');
	}

	/** All deliveries after the given one, oldest first. */
	async inbox(after = 0): Promise<Delivery[]> {
		const { deliveries, cursor, more } = await this.get<Inbox>(`/device/inbox?after=${after}`);
		return more ? [...deliveries, ...(await this.inbox(cursor))] : deliveries;
	}

	/**
	 * The deliveries of callers, oldest first. The server's own reports of an answer are left out: they arrive before
	 * or after what the answer makes a workflow send.
	 */
	async sent(): Promise<Delivery[]> {
		return (await this.inbox()).filter(({ kind }) => kind !== 'push_update');
	}

	/** Taps a button: of a push by its number, of a Live Activity by its name. */
	async tap(
		button: { delivery_id: number; action: number } | { activity_id: string; action: string },
	): Promise<TapResponse> {
		return await call<TapResponse>(`${this.url}/device/taps`, {
			method: 'POST',
			body: JSON.stringify({ tap_id: randomUUID(), ...button }),
			headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
		});
	}

	/** The newest open question of this title, once it is there. */
	async question(title: string): Promise<{ question_id: string }> {
		for (;;) {
			const { questions } = await this.snapshot();
			const found = questions.map(({ push }) => push).find((push) => push.title === title);
			if (found?.question) return found.question;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}

	/** Answers a question. */
	async answer(
		questionId: string,
		answer: { choice: string } | { text: string },
	): Promise<PhoneAnswerResponse> {
		return await call(`${this.url}/device/questions/${questionId}/answer`, {
			method: 'POST',
			body: JSON.stringify({ tap_id: randomUUID(), ...answer }),
			headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
		});
	}

	private async get<T>(path: string): Promise<T> {
		return await call<T>(`${this.url}${path}`, {
			headers: { authorization: `Bearer ${this.token}` },
		});
	}
}

async function call<T>(url: string, init: RequestInit): Promise<T> {
	const response = await fetch(url, init);
	const text = await response.text();
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
	return JSON.parse(text) as T;
}
