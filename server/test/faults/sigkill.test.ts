import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scaled } from '../support/scaled.ts';
import { waitFor } from '../support/wait.ts';
import { allEndsArrived, holdPromises } from './support/promises.ts';
import { Sender } from './support/sender.ts';
import { createWorld, type World } from './support/world.ts';

const KILLS = scaled(20);
let world: World;
beforeAll(async () => {
	world = await createWorld(3, 2);
});
afterAll(() => world.close());

describe('a server that is killed again and again while requests arrive', () => {
	it('brings every request that it answered with 200 to its devices', async () => {
		let isOver = false;
		const senders = Array.from({ length: 5 }, (_, n) => new Sender(world, `sender ${n}`));
		const [pusher, badger, ...streamers] = senders;
		const until = async (work: (round: number) => Promise<void>) => {
			for (let round = 1; !isOver; round += 1) {
				await work(round);
				// Enough load to be hit in the middle of it, and no more.
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		};
		await world.start();
		const load = [
			until(() => pusher!.push()),
			until(() => badger!.badge()),
			...streamers.map((sender, index) =>
				until((round) =>
					round % 15 === 0 ? sender.end(`stream-${index}`) : sender.update(`stream-${index}`),
				),
			),
		];
		const count = () => senders.reduce((sum, sender) => sum + sender.answered, 0);
		for (let kill = 0; kill < KILLS; kill += 1) {
			const before = count();
			// The other kills may come while the server has hardly begun.
			if (kill % 2 === 0) await waitFor('eleven answers', () => count() > before + 10);
			await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800));
			world.server?.signal('SIGKILL');
			expect((await world.server?.finished)?.signal).toBe('SIGKILL');
			await world.start();
		}
		isOver = true;
		await Promise.all(load);
		await waitFor('all deliveries', async () => (await world.pending()) === 0);
		await waitFor('the ends that wait for tokens', () => allEndsArrived(world, senders));
		const answered = count();
		const unanswered = senders.reduce((sum, sender) => sum + sender.unanswered, 0);
		process.stdout.write(`${KILLS} kills, ${answered} answered 200, ${unanswered} unanswered\n`);
		expect(answered).toBeGreaterThan(5 * KILLS);
		holdPromises(world, senders);
	});
});
