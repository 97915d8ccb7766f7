import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntryDetail } from '../../src/contract/console/history.ts';
import { TapBench } from '../support/tap-bench.ts';
import { type Console, signedIn } from './support/console.ts';

describe('an entry of the history', () => {
	let bench: TapBench;
	let owner: Console;
	beforeEach(async () => {
		bench = await TapBench.start();
		owner = await signedIn(bench.server);
	});
	afterEach(() => bench.close());

	it('says who tapped what on which phone, when, and what the webhook answered', async () => {
		const { url } = await bench.receive((_request, response) =>
			response
				.setHeader('content-type', 'application/json')
				.end('{"message":"Released.","final":true}'),
		);
		const other = await bench.server.pairPhone({ name: 'Kitchen' });
		const id = await bench.pushWith({ title: 'Approve', type: 'webhook', url });
		const atOther = (await other.inbox()).at(-1).id as number;
		await bench.leaveWithoutOutcome({ tap_id: randomUUID(), delivery_id: id }, 'Olga');
		bench.server.clock.advance(45);
		const tap = bench.tap({ delivery_id: atOther, action: 0 }, other);
		await bench.furtherLooks();
		bench.server.clock.advance(15);
		await tap;
		bench.server.clock.advance(60);
		await bench.tap({ delivery_id: id, action: 0 });

		const { body: page } = await owner.call('GET', '/history');
		const { body } = await owner.call('GET', `/history/${page['entries'][0].id}`);
		const { taps } = body as EntryDetail;
		const person = { user: 'Olga' };
		expect(taps).toEqual([
			{
				...person,
				device: 'Phone',
				button: 'Go',
				at: '2026-03-01T12:00:00.000Z',
				outcome: null,
				status: null,
				message: '',
			},
			{
				...person,
				device: 'Kitchen',
				button: 'Approve',
				at: '2026-03-01T12:01:00.000Z',
				outcome: 'called',
				status: 200,
				message: 'Released.',
			},
			{
				...person,
				device: 'Phone',
				button: 'Approve',
				at: '2026-03-01T12:02:00.000Z',
				outcome: 'refused',
				status: null,
				message: 'Already answered: Approved by Olga, 12:01 UTC. This tap changed nothing.',
			},
		]);
	});
});
