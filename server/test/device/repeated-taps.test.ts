import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Receiver } from '../support/receiver.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer } from '../support/server.ts';
import { countLooks, TapBench } from '../support/tap-bench.ts';
import { waitFor, within } from '../support/wait.ts';

const UNKNOWN = {
	outcome: 'failed',
	message:
		'This tap was reported before, and its outcome is unknown. Tap again to call the webhook again.',
};

interface Report {
	tap_id: string;
	delivery_id: number;
	action: number;
}

describe('a tap that is reported again', () => {
	let bench: TapBench;
	beforeEach(async () => {
		bench = await TapBench.start();
	});
	afterEach(() => bench.close());

	const reportOn = async (url: string): Promise<Report> => ({
		tap_id: randomUUID(),
		delivery_id: await bench.pushWith({ title: 'Go', type: 'webhook', url }),
		action: 0,
	});

	/** A webhook that answers with 202 once released. */
	const slowWebhook = async (): Promise<Receiver & { letGo: () => void }> => {
		const held: Array<() => void> = [];
		const receiver = await bench.receive((_request, response) => {
			held.push(() => response.writeHead(202).end());
		});
		return {
			...receiver,
			letGo: () => {
				for (const answer of held.splice(0)) answer();
			},
		};
	};
	const accepted = {
		outcome: 'called',
		status: 202,
		message: 'Done.',
		answer: expect.objectContaining({ button: 'Go', final: false }),
	};

	it('is answered the same when the first is over, and calls nothing', async () => {
		const { url, received } = await bench.receive();
		const report = await reportOn(url);
		const answers = [await bench.tap(report), await bench.tap(report)];
		expect(answers.map(({ body }) => body)).toEqual([
			{ ...accepted, status: 200 },
			answers[0]!.body,
		]);
		expect(received).toHaveLength(1);
		await bench.tap({ ...report, tap_id: randomUUID() });
		expect(received).toHaveLength(2);
	});

	it('is answered with the one outcome when all reports come at the same moment', async () => {
		const { url, received } = await bench.receive();
		const report = await reportOn(url);
		const answers = await Promise.all([bench.tap(report), bench.tap(report), bench.tap(report)]);
		expect(answers.map(({ body }) => body.outcome)).toEqual(['called', 'called', 'called']);
		expect(received).toHaveLength(1);
	});

	it('is answered with the outcome of the first while the webhook runs', async () => {
		const { url, received, letGo } = await slowWebhook();
		const report = await reportOn(url);
		const first = bench.tap(report);
		await waitFor('the call', () => received.length === 1);
		const repeated = [bench.tap(report), bench.tap(report)];
		// An account's writes run in turn: any write by a repetition comes before this one.
		await bench.pushWith();
		letGo();
		for (const { body } of await Promise.all([first, ...repeated])) expect(body).toEqual(accepted);
		expect(received).toHaveLength(1);
	});

	it('is answered with the outcome of the first that another server carries out', async () => {
		const other = await startTestServer({ beside: bench.server });
		try {
			const { url, received, letGo } = await slowWebhook();
			const report = await reportOn(url);
			const first = bench.tap(report);
			await waitFor('the call', () => received.length === 1);
			const looks = countLooks(other);
			const repeated = bench.tap(report, other.phone);
			await waitFor('a second look', () => looks() > 1);
			letGo();
			expect((await within('the outcome', repeated)).body).toEqual(accepted);
			expect((await first).body).toEqual(accepted);
			expect(received).toHaveLength(1);
		} finally {
			await other.close();
		}
	});

	it('is answered with the outcome of the first when the webhook takes the button away', async () => {
		const { url, received, letGo } = await slowWebhook();
		const { body } = await bench.server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
			secondary_action: { title: 'Go', type: 'webhook', url },
		});
		const activity_id = String(body['activity_id']);
		const report = { tap_id: randomUUID(), activity_id, action: 'secondary_action' };
		const first = bench.tap(report);
		await waitFor('the call', () => received.length === 1);
		// This type has no room for a second button.
		const change = { activity_id, content_state: STATES.stats };
		expect((await bench.server.call('POST', '/live-activity/update', change)).status).toBe(200);
		const whileItRuns = bench.tap(report);
		await bench.pushWith();
		letGo();
		expect((await first).body).toEqual(accepted);
		expect((await whileItRuns).body).toEqual(accepted);
		expect((await bench.tap(report)).body).toEqual(accepted);
		expect((await bench.tap({ ...report, tap_id: randomUUID() })).status).toBe(404);
		expect(received).toHaveLength(1);
	});

	it('is a tap of its own at another phone', async () => {
		const { url, received, letGo } = await slowWebhook();
		const other = await bench.server.pairPhone({ name: 'Other' });
		const report = await reportOn(url);
		const [{ id: deliveryToOther }] = (await other.inbox()) as [{ id: number }];
		const first = bench.tap(report);
		await waitFor('the first call', () => received.length === 1);
		const second = bench.tap({ ...report, delivery_id: deliveryToOther }, other);
		letGo();
		await waitFor('the second call', () => received.length === 2);
		letGo();
		for (const { body } of [await first, await second]) expect(body).toEqual(accepted);
	});

	it('is answered with an unknown outcome once a webhook would be over, when the server was killed', async () => {
		const { url, received } = await bench.receive();
		const report = await reportOn(url);
		await bench.leaveWithoutOutcome(report);
		let isAnswered = false;
		const looks = countLooks(bench.server);
		const repeated = bench.tap(report).finally(() => (isAnswered = true));
		await waitFor('a second look', () => looks() > 1);
		expect(isAnswered).toBe(false);
		bench.server.clock.advance(15);
		expect((await within('the answer', repeated)).body).toEqual(UNKNOWN);

		const looksSince = countLooks(bench.server);
		expect((await bench.tap(report)).body).toEqual(UNKNOWN);
		expect(looksSince()).toBe(1);
		expect(received).toEqual([]);
	});

	it('does not hold up a server that stops', async () => {
		const { url } = await bench.receive();
		const report = await reportOn(url);
		await bench.leaveWithoutOutcome(report);
		const { app, phone } = bench.server;
		const base = await app.listen({ host: '127.0.0.1', port: 0 });
		const looks = countLooks(bench.server);
		const repeated = fetch(`${base}/device/taps`, {
			method: 'POST',
			headers: { authorization: `Bearer ${phone.token}`, 'content-type': 'application/json' },
			body: JSON.stringify(report),
		});
		await waitFor('a second look', () => looks() > 1);
		await within('the end', app.close());
		expect(await (await repeated).json()).toEqual(UNKNOWN);
	});
});
