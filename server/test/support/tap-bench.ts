import { randomUUID } from 'node:crypto';
import { expect, jest } from '@jest/globals';
import { tapResponse } from '../../src/contract/device.ts';
import { recordTap } from '../../src/store/taps/taps.ts';
import { pushOfDelivery } from '../../src/store/outbox/delivered.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTestServer, type TestPhone, type TestServer } from './server.ts';
import { waitFor } from './wait.ts';

/** Counts the server's look-ups of taps. */
export function countLooks({ context }: TestServer): () => number {
	const reads = jest.spyOn(context.database.read, 'selectFrom').mockClear();
	return () => reads.mock.calls.filter(([table]) => (table as unknown) === 'taps').length;
}

/** A server with a phone that taps buttons, and receivers for webhooks. */
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

	/** Leaves the state of a server killed while a push's webhook runs. */
	async leaveWithoutOutcome(
		report: { tap_id: string; delivery_id: number },
		user = 'owner',
	): Promise<void> {
		const { context, phone, account, clock } = this.server;
		await context.database.write(account.id, async (db) => {
			const push = await pushOfDelivery(db, phone.id, report.delivery_id);
			await recordTap(db, {
				device_id: phone.id,
				id: report.tap_id,
				history_id: push!.history_id,
				user_name: user,
				device_name: 'Phone',
				button: 'Go',
				outcome_json: null,
				created_at: clock.now,
			});
		});
	}

	/**
	 * Waits until a tap that waits for another has looked for it, and begins to look again. A look has two
	 * look-ups.
	 */
	async furtherLooks(): Promise<void> {
		const looks = countLooks(this.server);
		await waitFor('further looks', () => looks() > 2);
	}

	async tap(
		body: object,
		phone: TestPhone = this.server.phone,
	): Promise<{ status: number; body: any }> {
		const answer = await phone.call('POST', '/taps', { tap_id: randomUUID(), ...body });
		if (answer.status === 200) expect(tapResponse.parse(answer.body)).toEqual(answer.body);
		return answer;
	}

	/** The phone's response to a tap on a push's only button, a webhook. */
	async tapWebhook(url: string, more: object = {}): Promise<any> {
		const id = await this.pushWith({ title: 'Go', type: 'webhook', url, ...more });
		return (await this.tap({ delivery_id: id, action: 0 })).body;
	}
}
