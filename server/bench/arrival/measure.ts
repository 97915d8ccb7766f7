import { setTimeout } from 'node:timers/promises';
import { startCluster } from '../../test/support/postgres-cluster.ts';
import { waitFor } from '../../test/support/wait.ts';
import { createWorld, type World } from '../../test/faults/support/world.ts';
import { openPage } from './page.ts';
import { StreamProxy } from './proxy.ts';
import type { Scenario } from './rows.ts';

/** Milliseconds between pushes: 50 a minute. */
const EVERY_MS = 1_200;

export interface Measured {
	pushes: number;
	/** Milliseconds from acceptance, or the end of an outage, to the first attempt or acknowledgement; sorted. */
	waits: number[];
	/** Shown neither by the page nor by the push service. */
	lost: number;
	/** With two ids, or by the push service twice. */
	twice: number;
}

/** The delivery in a message of a push service. */
const dataOf = (message: unknown) =>
	(message as { notification: { data: { id: number; push: { title: string } } } }).notification
		.data;

/** Sends a push until it is accepted, as the node does. @returns when it was */
async function send(world: World, title: string): Promise<number> {
	const headers = {
		authorization: `Bearer ${world.key}`,
		'content-type': 'application/json',
		'idempotency-key': `"${title}"`,
	};
	const body = JSON.stringify({ title });
	for (;;) {
		const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) };
		const answer = await fetch(`${world.url}/api/push-notification`, init).catch(() => undefined);
		if (answer?.ok) return Date.now();
		if (answer && answer.status < 500 && answer.status !== 409)
			throw new Error(`A push was answered ${answer.status}: ${await answer.text()}`);
		await setTimeout(200);
	}
}

/** @param seconds for which pushes are sent */
export async function measure(
	{ page, late = 0, service, events }: Scenario,
	store: string,
	{ seconds, scale }: { seconds: number; scale: number },
): Promise<Measured> {
	const cluster = store === 'postgres' ? await startCluster() : undefined;
	await cluster?.createDatabase('arrival');
	const databaseUrl = cluster?.urlOf('arrival') ?? '';
	const world = await createWorld(0, 1, { databaseUrl });
	const { pushService, phones } = world;
	const { name, token } = phones[0] as World['phones'][number];
	/** By title. */
	const accepted = new Map<string, number>();
	const arrived = new Map<string, number>();
	const shownIds = new Map<string, Set<number>>();
	const byService = new Map<string, number>();
	const titles = new Map<number, string>();
	const outages: Array<{ from: number; to: number }> = [];
	const arrive = (title: string) => arrived.set(title, arrived.get(title) ?? Date.now());
	const show = (title: string, id: number) => {
		titles.set(id, title);
		shownIds.set(title, (shownIds.get(title) ?? new Set()).add(id));
	};
	const watched = {
		onShown: show,
		onAcknowledged: (id: number) => {
			const title = titles.get(id);
			if (title !== undefined) arrive(title);
		},
	};
	pushService.fault = (_id, _bytes, read) => {
		arrive(dataOf(read()).push.title);
		return service;
	};
	pushService.onReceived = ({ message }) => {
		const { id, push } = dataOf(message);
		show(push.title, id);
		byService.set(push.title, (byService.get(push.title) ?? 0) + 1);
	};
	await world.start();
	const proxy = new StreamProxy(() => world.url, page ?? {});
	const address = await proxy.listen();
	const closings = page ? [openPage(address, token, watched, late)] : [];
	let isOver = false;
	const stage = {
		world,
		cluster,
		scale,
		isOver: () => isOver,
		async outage(during: () => Promise<unknown>) {
			const one = { from: Date.now(), to: Infinity };
			outages.push(one);
			await during();
			one.to = Date.now();
		},
		async lookAtPhone() {
			const close = openPage(world.url, token, watched);
			await fetch(`${world.url}/device/tokens`, {
				method: 'PUT',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: JSON.stringify({ push_subscription: pushService.subscribe(name) }),
			});
			await setTimeout(1_000);
			close();
		},
	};
	try {
		const happening = events?.(stage);
		const sending: Array<Promise<unknown>> = [];
		const count = Math.round((seconds * 1_000) / EVERY_MS);
		for (let n = 1; n <= count; n += 1) {
			const title = `Push ${n}`;
			sending.push(send(world, title).then((at) => accepted.set(title, at)));
			await setTimeout(EVERY_MS);
		}
		await Promise.all(sending);
		isOver = true;
		await happening;
		service = undefined;
		proxy.restore();
		// What has not arrived by itself arrives much later, once the page is opened.
		await waitFor('the pushes to arrive', () => arrived.size >= count, 60_000).catch(
			() => undefined,
		);
		closings.push(openPage(world.url, token, watched));
		await waitFor('the pushes to be shown', () => shownIds.size >= count, 60_000).catch(
			() => undefined,
		);
		await waitFor('the outbox to be empty', async () => {
			await world.endWaits();
			await setTimeout(500);
			return (await world.pending()) === 0;
		});
		const waits = [...accepted].map(([title, at]) => {
			const arrival = arrived.get(title) ?? Infinity;
			const hold = outages.find(({ from, to }) => at < to && arrival > from);
			return Math.max(0, arrival - Math.max(at, hold?.to ?? 0));
		});
		return {
			pushes: accepted.size,
			waits: waits.sort((a, b) => a - b),
			lost: [...accepted.keys()].filter((title) => !shownIds.has(title)).length,
			twice: [...shownIds].filter(([title, ids]) => ids.size > 1 || (byService.get(title) ?? 0) > 1)
				.length,
		};
	} finally {
		for (const close of closings) close();
		proxy.close();
		await world.close();
		await cluster?.remove();
	}
}
