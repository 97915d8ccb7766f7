import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { waitFor } from '../support/wait.ts';
import { Sender } from './support/sender.ts';
import { createWorld, type World } from './support/world.ts';

const KILLS = 8;
let cluster: Cluster;
beforeAll(async () => {
	cluster = await startCluster();
	await cluster.createDatabase('beckon');
});
afterAll(() => cluster.remove());

describe.each([
	['the embedded store', () => ''],
	['PostgreSQL', () => cluster.urlOf('beckon')],
])('a push with an Idempotency-Key to a server that is killed, on %s', (_store, databaseUrl) => {
	let world: World;
	beforeAll(async () => {
		world = await createWorld(2, 1, { databaseUrl: databaseUrl() });
		await world.start();
	});
	afterAll(() => world.close());

	const send = (title: string) =>
		fetch(`${world.url}/api/push-notification`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${world.key}`,
				'content-type': 'application/json',
				'idempotency-key': `"${title}"`,
			},
			body: JSON.stringify({ title }),
		});
	const restart = async () => {
		world.server?.signal('SIGKILL');
		expect((await world.server?.finished)?.signal).toBe('SIGKILL');
		await world.start();
	};
	/** How often each push was stored, by its title. */
	const stored = async () => {
		const rows = await world.database.read.selectFrom('history').select('title').execute();
		const counts = new Map<string, number>();
		for (const { title } of rows) counts.set(title, (counts.get(title) ?? 0) + 1);
		return counts;
	};
	const deliveriesOf = (title: string) =>
		world.database.read
			.selectFrom('deliveries')
			.innerJoin('messages', 'messages.id', 'deliveries.message_id')
			.innerJoin('history', 'history.id', 'messages.history_id')
			.select('deliveries.id')
			.where('history.title', '=', title)
			.execute();

	it('is answered from what is stored if it was killed between the commit and the answer', async () => {
		const title = 'after the commit';
		world.apns.fault = () => 'silence';
		const outcome = send(title).then(
			() => 'answered',
			() => 'lost',
		);
		await waitFor('the push to be stored', async () => (await stored()).has(title));
		const killed = restart();
		expect(await outcome).toBe('lost');
		await killed;
		world.apns.fault = undefined;
		const repeat = await send(title);
		expect([repeat.status, repeat.headers.get('beckon-idempotency')]).toEqual([200, 'replayed']);
		expect(await repeat.json()).toMatchObject({ devices_notified: 3, users_notified: 1 });
		expect((await stored()).get(title)).toBe(1);
		expect(await deliveriesOf(title)).toHaveLength(3);
	});

	it('is new if it was killed before the commit', async () => {
		const title = 'before the commit';
		let release = (): void => undefined;
		let isHeld = false;
		// The account's turn to write, which the request waits for.
		const held = world.database.write(world.accountId, () => {
			isHeld = true;
			return new Promise<void>((resolve) => (release = resolve));
		});
		await waitFor('the store to be held', () => isHeld);
		const outcome = send(title).then(
			() => 'answered',
			() => 'lost',
		);
		await new Promise((resolve) => setTimeout(resolve, 300));
		world.server?.signal('SIGKILL');
		expect(await outcome).toBe('lost');
		release();
		await held;
		await restart();
		expect((await stored()).has(title)).toBe(false);
		const repeat = await send(title);
		expect([repeat.status, repeat.headers.get('beckon-idempotency')]).toEqual([200, 'new']);
		expect((await stored()).get(title)).toBe(1);
		expect(await deliveriesOf(title)).toHaveLength(3);
	});

	it('is delivered once, however often it is killed and the push is repeated', async () => {
		let isOver = false;
		const senders = [1, 2, 3].map((n) => new Sender(world, `keyed ${n}`));
		const load = senders.map(async (sender) => {
			while (!isOver) await sender.pushOnce();
		});
		const sent = () => senders.flatMap((sender) => sender.pushes);
		for (let kill = 0; kill < KILLS; kill += 1) {
			const before = sent().length;
			await waitFor('some pushes', () => sent().length > before + 2);
			await new Promise((resolve) => setTimeout(resolve, Math.random() * 800));
			await restart();
		}
		isOver = true;
		await Promise.all(load);
		const counts = await stored();
		const pushes = sent();
		expect(pushes.length).toBeGreaterThan(20);
		expect(pushes.filter((title) => counts.get(title) !== 1)).toEqual([]);
		const repeats = senders.reduce((sum, { replayed }) => sum + replayed, 0);
		process.stdout.write(`${KILLS} kills, ${pushes.length} pushes, ${repeats} replayed\n`);
		await waitFor('all deliveries', async () => {
			await world.endWaits();
			return (await world.pending()) === 0;
		});
		for (const phone of world.phones)
			expect(pushes.filter((title) => !phone.pushes.includes(title))).toEqual([]);
	});
});
