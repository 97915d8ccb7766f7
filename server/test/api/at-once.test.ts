import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { historyOf } from '../support/history.ts';
import { UNLIMITED } from '../support/samples.ts';
import {
	startTestServer,
	type TestAccount,
	type TestPhone,
	type TestServer,
} from '../support/server.ts';

const ACCOUNTS = 12;
const ROUNDS = 3;

/** The server batches simultaneous requests; nobody may notice. */
describe('requests of many accounts that come at once', () => {
	let server: TestServer;
	let people: Array<{ n: number; account: TestAccount; phone: TestPhone }>;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		people = [];
		for (let n = 0; n < ACCOUNTS; n += 1) {
			// Pairing allows ten phones a minute from one address.
			server.clock.advance(60);
			const account = await server.addAccount();
			const phone = await server.pairPhone({ account: account.id });
			await server.addMetric({ key: 'orders', name: 'Orders' }, account.id);
			people.push({ n, account, phone });
		}
	});
	afterEach(() => server.close());

	const state = (n: number) => ({ type: 'value', title: `Stream ${n}`, value: n });
	const everyone = <T>(call: (person: (typeof people)[number]) => Promise<T>) =>
		Promise.all(people.map(call));

	it('reach the phone of each with its own content, and no other', async () => {
		for (let round = 0; round < ROUNDS; round += 1) {
			const answers = await everyone(({ n, account: { key } }) =>
				Promise.all([
					server.call(
						'POST',
						'/push-notification',
						{ title: `Push ${n}`, tags: [`tag-${n}`] },
						{ key },
					),
					server.call('POST', '/push-notification', { title: `Badged ${n}`, badge: n }, { key }),
					server.call(
						'PUT',
						'/live-activity/stream/s',
						{ content_state: state(n + round * 100) },
						{ key },
					),
					server.call('POST', '/metrics/orders/value', { value: n + round * 100 }, { key }),
				]),
			);
			expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]));
		}
		await everyone(async ({ n, phone }) => {
			const inbox = await phone.inbox();
			const titles = inbox.flatMap(({ push }) => (push ? [push.title] : []));
			expect(titles.filter((title) => title === `Push ${n}`)).toHaveLength(ROUNDS);
			expect(titles.filter((title) => title === `Badged ${n}`)).toHaveLength(ROUNDS);
			expect(titles).toHaveLength(2 * ROUNDS);
			const last = n + (ROUNDS - 1) * 100;
			expect(await phone.snapshot()).toMatchObject({
				badge: n,
				activities: [{ content_state: { value: last } }],
				metrics: [{ key: 'orders', value: last }],
			});
		});
	});

	it('are each refused for their own reason, not for that of another', async () => {
		const answers = await everyone(({ n, account: { key } }) => {
			if (n % 3 === 1) return server.call('POST', '/metrics/unknown/value', { value: n }, { key });
			if (n % 3 === 2) return server.call('DELETE', '/live-activity/stream/unknown', {}, { key });
			return server.call('POST', '/push-notification', { title: `Push ${n}` }, { key });
		});
		expect(answers.map(({ status }) => status)).toEqual(
			people.map(({ n }) => (n % 3 === 0 ? 200 : 404)),
		);
		for (const { n, account, phone } of people) {
			const kept = n % 3 === 0 ? [expect.objectContaining({ title: `Push ${n}` })] : [];
			expect(await historyOf(server.context, account.id, { tags: [], limit: 5 })).toEqual(kept);
			expect(await phone.inbox()).toHaveLength(kept.length);
		}
	});

	it('change a stream as often as its account asks, one step after the other', async () => {
		await everyone(async ({ n, account: { key } }) => {
			const puts = Array.from({ length: 5 }, (_, step) =>
				server.call(
					'PUT',
					'/live-activity/stream/s',
					{ content_state: state(n * 10 + step) },
					{ key },
				),
			);
			const operations = (await Promise.all(puts)).map(({ body }) => body['operation']);
			expect(operations.toSorted()).toEqual([
				'started',
				'updated',
				'updated',
				'updated',
				'updated',
			]);
		});
		await everyone(async ({ phone }) => {
			expect((await phone.snapshot()).activities).toHaveLength(1);
		});
	});
});
