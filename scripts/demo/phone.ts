import { randomUUID } from 'node:crypto';
import type { Delivery, Inbox, Snapshot, TapResponse } from '../../server/src/contract/device.ts';

/** The demo's paired phone, seen through the device protocol (docs/device-protocol.md). */
export class Phone {
	private readonly url: string;

	private readonly token: string;

	constructor(serverUrl: string, token: string) {
		this.url = `${serverUrl}/device`;
		this.token = token;
	}

	/** All deliveries so far, oldest first. */
	async inbox(): Promise<Delivery[]> {
		const deliveries: Delivery[] = [];
		for (let after = 0, more = true; more;) {
			const page = await this.call<Inbox>('GET', `/inbox?after=${after}&limit=500`);
			deliveries.push(...page.deliveries);
			({ cursor: after, more } = page);
		}
		return deliveries;
	}

	/** The newest push. @throws if there is none */
	async lastPush(): Promise<Extract<Delivery, { kind: 'push' }>> {
		const last = (await this.inbox()).findLast((delivery) => delivery.kind === 'push');
		if (!last) throw new Error('No push reached the phone');
		return last;
	}

	async snapshot(): Promise<Snapshot> {
		return await this.call('GET', '/snapshot');
	}

	async tapPushButton(deliveryId: number, action: number): Promise<TapResponse> {
		return await this.call('POST', '/taps', {
			tap_id: randomUUID(),
			delivery_id: deliveryId,
			action,
		});
	}

	async answer(questionId: string, choice: string): Promise<void> {
		await this.call('POST', `/questions/${questionId}/answer`, { tap_id: randomUUID(), choice });
	}

	private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await fetch(this.url + path, {
			method,
			headers: {
				authorization: `Bearer ${this.token}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`The phone's ${method} ${path} answered ${response.status}`);
		return (await response.json()) as T;
	}
}
