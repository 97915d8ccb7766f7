import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { tapResponse } from '../../src/contract/device.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTestServer, type TestPhone, type TestServer } from './server.ts';

/** A server with a phone that taps buttons, and receivers that webhooks may call. */
export class TapBench {
	readonly server: TestServer;
	readonly #receivers: Receiver[] = [];

	private constructor(server: TestServer) {
		this.server = server;
	}

	static async start(
		settings: Record<string, string> = { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
	): Promise<TapBench> {
		return new TapBench(await startTestServer({ settings }));
	}

	async close(): Promise<void> {
		await Promise.all(this.#receivers.map((receiver) => receiver.close()));
		await this.server.close();
	}

	async receive(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
		const receiver = await startReceiver(...answer);
		this.#receivers.push(receiver);
		return receiver;
	}

	/** Sends a push with these buttons and returns its delivery's id. */
	async pushWith(...actions: object[]): Promise<number> {
		const { status, body } = await this.server.call('POST', '/push-notification', {
			title: 'A',
			actions,
		});
		expect({ status, message: body['message'] }).toEqual({ status: 200, message: undefined });
		return (await this.server.phone.inbox()).at(-1).id;
	}

	async tap(
		body: object,
		phone: TestPhone = this.server.phone,
	): Promise<{ status: number; body: any }> {
		const answer = await phone.call('POST', '/taps', { tap_id: randomUUID(), ...body });
		if (answer.status === 200) expect(tapResponse.parse(answer.body)).toEqual(answer.body);
		return answer;
	}

	/** What the phone is told after a tap on the one button, a webhook, of a push. */
	async tapWebhook(url: string, more: object = {}): Promise<any> {
		const id = await this.pushWith({ title: 'Go', type: 'webhook', url, ...more });
		return (await this.tap({ delivery_id: id, action: 0 })).body;
	}
}
