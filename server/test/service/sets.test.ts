import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Refusal } from '../../src/service/refusal.ts';
import type { OutgoingMessage } from '../../src/service/sending/outgoing.ts';
import type { Context, SetContext } from '../../src/service/context.ts';
import type { Board } from '../../src/service/sending/board.ts';
import { decideInTurn } from '../../src/service/sending/on-board.ts';
import type { Db } from '../../src/store/schema.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('requests handled in sets', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
	});
	afterAll(() => server.close());

	it('are answered in their order where a set decides only the first ones', async () => {
		const sets: number[][] = [];
		const add = server.context.database.inSets<number, string>((_db, requests) => {
			sets.push([...requests]);
			return Promise.resolve(requests.slice(0, 2).map((n) => ({ result: `answer ${n}` })));
		});
		const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => add(server.account.id, n)));
		expect(answers).toEqual([1, 2, 3, 4, 5].map((n) => `answer ${n}`));
		expect(sets).toEqual([[1, 2, 3, 4, 5], [3, 4, 5], [5]]);
	});

	it('are in one set, even with a context each, and decided by the rules of the server', async () => {
		const sets: Array<[rules: SetContext, requests: readonly number[]]> = [];
		const decide = (_db: Db, rules: SetContext, requests: readonly number[]) => {
			sets.push([rules, requests]);
			return Promise.resolve(requests.map((result) => ({ result })));
		};
		const { context, account } = server;
		const add = (context: Context, n: number) => context.inSets(decide)(account.id, n);
		await Promise.all([1, 2].map((n) => add({ ...context, now: () => n }, n)));
		const { settings, now, isClockShared } = context;
		expect(sets).toEqual([[{ settings, now, isClockShared }, [1, 2]]]);
	});
});

describe('the deliveries of a set', () => {
	const message = (devices: number) =>
		({ deliveries: Array<unknown>(devices) }) as unknown as OutgoingMessage;
	const decide = (asked: readonly number[], refuse: (devices: number) => boolean = () => false) => {
		const board: Pick<Board, 'outgoing'> = { outgoing: [] };
		return decideInTurn(
			board,
			asked.map((devices) => ({
				decide() {
					if (refuse(devices)) throw new Refusal('invalid', 'Invalid request', 'Refused.');
					return board.outgoing.push(message(devices));
				},
			})),
		);
	};

	it('are enough for a transaction before the next request waits for another set', () => {
		expect(decide([19_999, 1, 1])).toHaveLength(2);
		expect(decide([50_000, 1])).toHaveLength(1);
	});

	it('do not include those of a refused request', () => {
		const decisions = decide([50_000, 50_000, 1], (devices) => devices > 1);
		expect(decisions.map((one) => 'result' in one)).toEqual([false, false, true]);
	});
});
