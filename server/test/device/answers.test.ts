import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { noPhones } from '../../src/contract/delivery-states.ts';
import { historyOf } from '../support/history.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import type { Receiver } from '../support/receiver.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { TapBench } from '../support/tap-bench.ts';
import { waitFor, within } from '../support/wait.ts';

describe('a question', () => {
	let bench: TapBench;
	let other: TestPhone;
	beforeEach(async () => {
		bench = await TapBench.start();
		other = await bench.server.pairPhone({ name: 'Kitchen' });
	});
	afterEach(() => bench.close());

	/** A webhook that, once released, answers as its path says. */
	const webhook = async (): Promise<Receiver & { letGo: () => void }> => {
		const held: Array<() => void> = [];
		const receiver = await bench.receive(({ path }, response) => {
			held.push(() =>
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ message: 'Noted.', final: path !== '/open' })),
			);
		});
		return {
			...receiver,
			letGo: () => {
				for (const answer of held.splice(0)) answer();
			},
		};
	};

	/** A button for a webhook that gives a final answer. */
	const final = (receiver: Receiver, title: string) => ({
		title,
		type: 'webhook',
		url: `${receiver.url}/final`,
		body: { choice: title },
	});

	const prompt = () =>
		bench.receive(({ path }, response) => {
			response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ message: 'Noted.', final: path !== '/open' }));
		});

	const lastOf = async (phone: TestPhone) => (await phone.inbox()).at(-1);
	const byOwner = (button: string, isFinal = true) => ({
		button,
		by: 'owner',
		device: 'Phone',
		at: bench.server.timestamp(),
		message: 'Noted.',
		final: isFinal,
	});

	describe('on a push', () => {
		const ask = async (receiver: Receiver) => {
			const id = await bench.pushWith(final(receiver, 'Approve'), final(receiver, 'Decline'), {
				title: 'Open',
				type: 'open_url',
				url: 'https://example.com/7',
			});
			return { id, atOther: (await lastOf(other)).id as number };
		};

		it('is answered on every phone that has it, once the webhook says that it is final', async () => {
			const { id, atOther } = await ask(await prompt());
			const away = await bench.server.pairPhone({ name: 'Came later' });
			expect((await bench.tap({ delivery_id: id, action: 0 })).body).toEqual({
				outcome: 'called',
				status: 200,
				message: 'Noted.',
				answer: byOwner('Approve'),
			});
			const answered = {
				title: 'A',
				actions: [
					{ title: 'Approve', type: 'webhook', closed: true },
					{ title: 'Decline', type: 'webhook', closed: true },
					{ title: 'Open', type: 'open_url', url: 'https://example.com/7' },
				],
				answer: byOwner('Approve'),
			};
			for (const [phone, deliveryId] of [
				[bench.server.phone, id],
				[other, atOther],
			] as const) {
				expect(await lastOf(phone)).toMatchObject({
					kind: 'push_update',
					delivery_id: deliveryId,
					push: answered,
				});
				const { notifications } = await phone.snapshot();
				expect(notifications).toMatchObject([{ id: deliveryId, push: answered }]);
				const { body } = await phone.call('GET', '/history');
				expect(body['deliveries']).toMatchObject([
					{ id: deliveryId, kind: 'push', push: answered },
				]);
			}
			expect(await away.inbox()).toEqual([]);
		});

		it('leaves the phones of the push in the states that the push itself is in', async () => {
			const { id } = await ask(await prompt());
			await bench.server.phone.call('POST', '/acknowledge', { deliveries: [id] });
			await bench.tap({ delivery_id: id, action: 0 });
			const { context, account } = bench.server;
			const [entry] = await historyOf(context, account.id, { tags: [], limit: 1 });
			expect(entry?.messages).toHaveLength(2);
			expect(entry?.phones).toEqual({ ...noPhones(), received: 1, stored: 1 });
		});

		it('refuses every later tap, saying who answered what and when, and calls nothing', async () => {
			const receiver = await prompt();
			const { id, atOther } = await ask(receiver);
			const { answer } = (await bench.tap({ delivery_id: id, action: 0 })).body;
			const time = answer.at.slice('2026-03-01T'.length, '2026-03-01T12:00'.length);
			const report = { tap_id: randomUUID(), delivery_id: atOther, action: 1 };
			const refused = {
				outcome: 'refused',
				message: `Already answered: Approved by owner, ${time} UTC. This tap changed nothing.`,
				answer: byOwner('Approve'),
			};
			expect((await bench.tap(report, other)).body).toEqual(refused);
			expect((await bench.tap(report, other)).body).toEqual(refused);
			expect(receiver.received).toHaveLength(1);
			expect((await bench.tap({ delivery_id: atOther, action: 2 }, other)).body).toMatchObject({
				outcome: 'open',
			});
		});

		it('is not shown again on a phone from which it was swiped away', async () => {
			const { id, atOther } = await ask(await prompt());
			await other.call('POST', '/dismissals', { delivery_id: atOther });
			await bench.tap({ delivery_id: id, action: 0 });
			expect(await lastOf(other)).toMatchObject({ id: atOther, kind: 'push' });
			const { body } = await other.call('GET', '/history');
			expect(body['deliveries'][0].push.answer).toEqual(byOwner('Approve'));
		});

		it('stays open, and shows its last tap, while the webhook does not call it final', async () => {
			const receiver = await prompt();
			const open = (title: string) => ({ title, type: 'webhook', url: `${receiver.url}/open` });
			const id = await bench.pushWith(open('Louder'), open('Quieter'));
			await bench.tap({ delivery_id: id, action: 0 });
			await bench.tap({ delivery_id: id, action: 1 });
			expect(receiver.received).toHaveLength(2);
			for (const phone of [bench.server.phone, other]) {
				const [{ push }] = (await phone.snapshot()).notifications;
				expect(push.answer).toEqual(byOwner('Quieter', false));
				expect(push.actions).toEqual([
					{ title: 'Louder', type: 'webhook' },
					{ title: 'Quieter', type: 'webhook' },
				]);
			}
		});

		it('stays open when the webhook answers with an error, whatever it calls it', async () => {
			const { url, received } = await bench.receive((_request, response) => {
				response.writeHead(410, { 'content-type': 'application/json' });
				response.end('{"message":"Over.","final":true}');
			});
			const id = await bench.pushWith({ title: 'Go', type: 'webhook', url });
			for (let n = 0; n < 2; n += 1) {
				const { body } = await bench.tap({ delivery_id: id, action: 0 });
				expect(body).toEqual({ outcome: 'failed', status: 410, message: 'Over.' });
			}
			expect(received).toHaveLength(2);
			expect((await bench.server.phone.snapshot()).notifications[0].push.answer).toBeUndefined();
		});
	});

	describe('asked of several at the same moment', () => {
		/** Two servers on one store, one phone at each. */
		const both = async (use: (second: TestServer) => Promise<void>) => {
			const second = await startTestServer({ beside: bench.server });
			try {
				await use(second);
			} finally {
				await second.close();
			}
		};

		it('calls one webhook, although the taps come to two servers', () =>
			both(async (second) => {
				const receiver = await webhook();
				const id = await bench.pushWith(final(receiver, 'Approve'), final(receiver, 'Decline'));
				const taps = [0, 1, 0, 1].map((action, n) =>
					bench.tap({ delivery_id: id, action }, n % 2 === 0 ? bench.server.phone : second.phone),
				);
				await waitFor('a call', () => receiver.received.length === 1);
				// An account's writes run in turn: the others are behind this one.
				await bench.pushWith();
				receiver.letGo();
				const outcomes = (await within('the taps', Promise.all(taps))).map(({ body }) => body);
				expect(receiver.received).toHaveLength(1);
				const { choice } = JSON.parse(receiver.received[0]!.body) as { choice: string };
				expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
					'called',
					'refused',
					'refused',
					'refused',
				]);
				for (const { answer } of outcomes) expect(answer).toEqual(byOwner(choice));
			}));

		it('calls its webhook side by side with that of another question', async () => {
			const receiver = await webhook();
			const ids = [
				await bench.pushWith(final(receiver, 'One')),
				await bench.pushWith(final(receiver, 'Two')),
			];
			const taps = ids.map((id) => bench.tap({ delivery_id: id, action: 0 }));
			await waitFor('both calls', () => receiver.received.length === 2);
			receiver.letGo();
			for (const { body } of await Promise.all(taps)) expect(body.outcome).toBe('called');
		});

		it('goes on after watching the tap of a killed server for 15 seconds', async () => {
			const receiver = await prompt();
			const id = await bench.pushWith(final(receiver, 'Approve'));
			await bench.leaveWithoutOutcome({ tap_id: randomUUID(), delivery_id: id });
			const tap = bench.tap({ delivery_id: id, action: 0 });
			await bench.furtherLooks();
			bench.server.clock.advance(14);
			await bench.furtherLooks();
			expect(receiver.received).toEqual([]);
			bench.server.clock.advance(1);
			expect((await within('the tap', tap)).body.outcome).toBe('called');
			expect(receiver.received).toHaveLength(1);
		});

		it('goes on as soon where the clock has been set back since', async () => {
			const receiver = await prompt();
			const id = await bench.pushWith(final(receiver, 'Approve'));
			await bench.leaveWithoutOutcome({ tap_id: randomUUID(), delivery_id: id });
			bench.server.clock.now -= 60 * 60 * 1_000;
			const tap = bench.tap({ delivery_id: id, action: 0 });
			await bench.furtherLooks();
			bench.server.clock.advance(15);
			expect((await within('the tap', tap)).body.outcome).toBe('called');
		});

		it('waits for a webhook under way where the clock has been set ahead since', async () => {
			const receiver = await webhook();
			const id = await bench.pushWith(final(receiver, 'Approve'));
			const first = bench.tap({ delivery_id: id, action: 0 });
			await waitFor('the call', () => receiver.received.length === 1);
			bench.server.clock.now += 60 * 60 * 1_000;
			const second = bench.tap({ delivery_id: id, action: 0 }, bench.server.phone);
			await bench.furtherLooks();
			receiver.letGo();
			expect((await first).body.outcome).toBe('called');
			expect((await within('the second tap', second)).body.outcome).toBe('refused');
			expect(receiver.received).toHaveLength(1);
		});
	});

	describe('on a Live Activity', () => {
		const put = (body: object) => bench.server.call('PUT', '/live-activity/stream/ask', body);
		const ask = async (receiver: Receiver) => {
			const { body } = await put({
				content_state: STATES.alert,
				action: final(receiver, 'Approve'),
				secondary_action: final(receiver, 'Decline'),
			});
			return String(body['activity_id']);
		};
		const shownAt = async (phone: TestPhone) => (await phone.snapshot()).activities[0];

		it('is answered on every phone, until other buttons are sent', async () => {
			const receiver = await prompt();
			const activity_id = await ask(receiver);
			await bench.tap({ activity_id, action: 'action' });
			for (const phone of [bench.server.phone, other]) {
				const answered = {
					action: { title: 'Approve', type: 'webhook', closed: true },
					secondary_action: { title: 'Decline', type: 'webhook', closed: true },
					answer: byOwner('Approve'),
				};
				expect(await lastOf(phone)).toMatchObject({ kind: 'activity_update', activity: answered });
				expect(await shownAt(phone)).toMatchObject(answered);
			}
			const refused = await bench.tap({ activity_id, action: 'secondary_action' }, other);
			expect(refused.body).toMatchObject({ outcome: 'refused', answer: byOwner('Approve') });

			await put({ content_state: { message: 'Going on' }, action: final(receiver, 'Approve') });
			expect(await shownAt(other)).toMatchObject({ answer: byOwner('Approve') });
			await put({ content_state: {}, action: final(receiver, 'Next?') });
			const { action, answer } = await shownAt(other);
			expect({ action, answer }).toEqual({ action: { title: 'Next?', type: 'webhook' } });
			expect((await bench.tap({ activity_id, action: 'action' })).body.outcome).toBe('called');
			expect(receiver.received).toHaveLength(2);
		});

		it('shows its answer where the webhook ends it, as workflows do', async () => {
			const receiver = await webhook();
			const activity_id = await ask(receiver);
			const tap = bench.tap({ activity_id, action: 'action' });
			await waitFor('the call', () => receiver.received.length === 1);
			await bench.server.call('DELETE', '/live-activity/stream/ask', {
				content_state: { type: 'alert', message: 'Approve · owner' },
			});
			receiver.letGo();
			await tap;
			expect(await lastOf(other)).toMatchObject({
				kind: 'activity_end',
				activity: { answer: byOwner('Approve'), content_state: { message: 'Approve · owner' } },
			});
		});

		it('keeps its answer where the stream is rotated while the webhook runs', async () => {
			const receiver = await webhook();
			const activity_id = await ask(receiver);
			const tap = bench.tap({ activity_id, action: 'action' });
			await waitFor('the call', () => receiver.received.length === 1);
			const { body } = await put({ content_state: STATES.value });
			expect(body['operation']).toBe('rotated');
			receiver.letGo();
			await tap;
			const next = { activity_id: body['activity_id'], action: 'action' };
			const { activities } = await other.snapshot();
			expect(activities).toMatchObject([
				{ activity_id: next.activity_id, action: { closed: true }, answer: byOwner('Approve') },
			]);
			expect((await bench.tap(next, other)).body.outcome).toBe('refused');
		});

		it('keeps its answer where the stream is paused while the webhook runs', async () => {
			const receiver = await webhook();
			const { context, account } = bench.server;
			const tap = bench.tap({ activity_id: await ask(receiver), action: 'action' });
			await waitFor('the call', () => receiver.received.length === 1);
			await pauseStream(context, account.id, 'ask');
			receiver.letGo();
			await tap;
			await resumeStream(context, account.id, 'ask');
			expect(await shownAt(other)).toMatchObject({ answer: byOwner('Approve') });
		});

		it('is asked anew where its stream is ended and begun again while the webhook runs', async () => {
			const receiver = await webhook();
			const tap = bench.tap({ activity_id: await ask(receiver), action: 'action' });
			await waitFor('the call', () => receiver.received.length === 1);
			await bench.server.call('DELETE', '/live-activity/stream/ask', {});
			const activity_id = await ask(receiver);
			receiver.letGo();
			await tap;
			const { activities } = await other.snapshot();
			const again = activities.find((shown: any) => shown.activity_id === activity_id);
			expect(again).not.toHaveProperty('answer');
		});

		it('has no buttons to tap when it has ended, but those that the end has brought', async () => {
			const receiver = await prompt();
			const activity_id = await ask(receiver);
			await bench.server.call('DELETE', '/live-activity/stream/ask', {
				secondary_action: final(receiver, 'Try again'),
			});
			expect(await shownAt(other)).toMatchObject({
				action: { title: 'Approve', closed: true },
				secondary_action: { title: 'Try again', type: 'webhook' },
			});
			expect((await bench.tap({ activity_id, action: 'action' })).body).toEqual({
				outcome: 'refused',
				message: 'This has ended, so its buttons no longer work.',
			});
			expect(receiver.received).toEqual([]);
			const again = await bench.tap({ activity_id, action: 'secondary_action' });
			expect(again.body.outcome).toBe('called');
		});
	});
});
