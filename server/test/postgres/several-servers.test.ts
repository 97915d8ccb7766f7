import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { listAccountApiKeys, revokeKey } from '../../src/service/keys-and-channels/api-keys.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { addRequestCounts } from '../../src/store/accounts/accounts.ts';
import { followEvents } from '../support/events.ts';
import { SteeredGateway } from '../support/gateways.ts';
import type { TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';
import {
	everywhere,
	PLENTY,
	server,
	servers,
	start,
	stop,
	withStatus,
} from './support/several-servers.ts';

/** A phone's stream looks for what nobody told it, and an outbox for what is due, this often. */
const STREAM_LOOKS_MS = 120_000;
const OUTBOX_LOOKS_MS = 30_000;

afterEach(stop);

describe('limits of several servers on one database', () => {
	it('let exactly as many requests through as one server would, window after window', async () => {
		await start({ ...PLENTY, BECKON_RATE_NOTIFICATIONS: '40' });
		for (let window = 0; window < 3; window += 1) {
			const answers = await everywhere(100, (to, n) =>
				to.call('POST', '/push-notification', { title: `${window}-${n}` }),
			);
			expect([withStatus(answers, 200), withStatus(answers, 429)]).toEqual([40, 60]);
			const remaining = answers
				.filter(({ status }) => status === 200)
				.map(({ headers }) =>
					Number(/account:notifications";r=(\d+)/.exec(String(headers['ratelimit']))?.[1]),
				);
			expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
			server(0).clock.advance(60);
		}
		expect(await server(1).phone.inbox()).toHaveLength(120);
	});

	it('count a request that one limit refuses against no other', async () => {
		await start({ ...PLENTY, BECKON_RATE_NOTIFICATIONS: '10', BECKON_RATE_PER_ADDRESS: '20' });
		const push = (to: TestServer) => to.call('POST', '/push-notification', { title: 'a' });
		expect(withStatus(await everywhere(30, push), 200)).toBe(10);
		const other = await server(0).addAccount();
		// No phone: past the limits, it has no recipient.
		const answers = await everywhere(30, (to) =>
			to.call('POST', '/push-notification', { title: 'b' }, { key: other.key }),
		);
		expect([withStatus(answers, 422), withStatus(answers, 429)]).toEqual([10, 20]);
	});

	it('let nobody guess pairing codes faster by asking several servers', async () => {
		await start();
		const pair = { code: 'AAAA-AAAA', name: 'x', platform: 'web' };
		server(0).clock.advance(60);
		const answers = await everywhere(30, async (to) => {
			const response = await to.app.inject({ method: 'POST', url: '/device/pair', payload: pair });
			return { status: response.statusCode, body: {}, headers: response.headers };
		});
		expect([withStatus(answers, 404), withStatus(answers, 429)]).toEqual([10, 20]);
	});

	it('show no more than five activities on a phone', async () => {
		await start();
		const answers = await everywhere(18, (to, n) =>
			to.call('PUT', `/live-activity/stream/s${n}`, {
				content_state: { type: 'value', title: 'S', value: n },
			}),
		);
		expect([withStatus(answers, 200), withStatus(answers, 429)]).toEqual([5, 13]);
		expect((await server(2).phone.snapshot()).activities).toHaveLength(5);
	});

	it('let an account send no more than its quota', async () => {
		await start();
		const { context, account } = server(0);
		const trial = { plan: 'trial', quota: 15 } as const;
		await changeAccount(context, await findAccount(context, account.id), trial);
		const answers = await everywhere(40, (to, n) =>
			to.call('POST', '/push-notification', { title: `${n}` }),
		);
		expect([withStatus(answers, 200), withStatus(answers, 402)]).toEqual([15, 25]);
	});
});

describe('a push to very many phones', () => {
	it('wakes those on the other servers that it reaches, and no others', async () => {
		await start();
		const heard = new Set<string>();
		let others = 0;
		const stop = server(1).context.database.onRemoteChange((change) => {
			if (change === 'everything') others += 1;
			else for (const topic of change) heard.add(topic);
		});
		const phones = 30_000;
		for (let n = 0; n < phones; n += 1) server(0).context.database.announce(`inbox phone-${n}`);
		await waitFor('the announcements', () => heard.size >= phones);
		stop();
		expect(others).toBe(0);
	});
});

describe('order with several servers on one database', () => {
	beforeEach(() => start());

	it('keeps one activity for a stream, whichever server is told to change it', async () => {
		const types = [
			{ type: 'value', title: 'V', value: 1 },
			{ type: 'alert', title: 'A', message: 'm' },
		];
		const answers = await everywhere(30, (to, n) =>
			n % 7 === 6
				? to.call('DELETE', '/live-activity/stream/s', {})
				: to.call('PUT', '/live-activity/stream/s', {
						content_state: { ...types[n % 2], title: `${n}` },
					}),
		);
		for (const { status } of answers) expect([200, 404]).toContain(status);
		let running: string | undefined;
		const started = new Set<string>();
		for (const { kind, activity } of await server(0).phone.inbox()) {
			expect(running).toBe(kind === 'activity_start' ? undefined : activity.activity_id);
			if (kind === 'activity_start') started.add(activity.activity_id);
			running = kind === 'activity_end' ? undefined : activity.activity_id;
		}
		const told = answers.filter(({ body }) => ['started', 'rotated'].includes(body['operation']));
		expect(new Set(told.map(({ body }) => body['activity_id']))).toEqual(started);
		const { activities } = await server(1).phone.snapshot();
		expect(activities.filter((activity: any) => activity.dismiss_at === null)).toHaveLength(
			running === undefined ? 0 : 1,
		);
	});

	it('never stores a delivery before one that a phone has read', async () => {
		const seen: number[] = [];
		let isOver = false;
		const reading = (async () => {
			for (let after = 0; ;) {
				// Read the flag first: everything stored by then is in the last read.
				const wasLast = isOver;
				const { body } = await server(0).phone.call('GET', `/inbox?limit=500&after=${after}`);
				seen.push(...body['deliveries'].map(({ id }: { id: number }) => id));
				after = body['cursor'];
				if (wasLast) return;
			}
		})();
		for (let round = 0; round < 5; round += 1)
			await everywhere(30, (to, n) => to.call('POST', '/push-notification', { title: `${n}` }));
		isOver = true;
		await reading;
		const all = (await server(1).phone.inbox()).map(({ id }) => id);
		expect(all).toHaveLength(150);
		expect(seen).toEqual(all);
	});
});

describe('what one of several servers does', () => {
	it('reaches at once a phone that is connected to another', async () => {
		await start();
		const base = await server(1).app.listen({ host: '127.0.0.1', port: 0 });
		const stream = await followEvents(base, server(1).phone.token);
		try {
			await server(0).call('POST', '/push-notification', { title: 'from the first' });
			const [delivery] = await within('the push', stream.waitForDeliveries(1), STREAM_LOOKS_MS);
			expect(delivery).toMatchObject({ push: { title: 'from the first' } });
			await createMetric(server(2).context, server(0).account.id, {
				key: 'load',
				name: 'Load',
				format: 'number',
			});
			const isMetric = ({ event }: { event: string | undefined }) => event === 'metric';
			await within('the metric', stream.waitForEvent('the metric', isMetric), STREAM_LOOKS_MS);
		} finally {
			await stream.close();
		}
	});

	it('ends the stream that a phone has at another when it disconnects the phone', async () => {
		await start();
		const base = await server(1).app.listen({ host: '127.0.0.1', port: 0 });
		const stream = await followEvents(base, server(1).phone.token);
		await server(0).phone.call('DELETE', '/');
		await within('the end of the stream', stream.ended, STREAM_LOOKS_MS);
	});

	it('makes the others refuse a revoked key', async () => {
		await start();
		const { context, account } = server(0);
		const send = (to: TestServer) => to.call('POST', '/push-notification', { title: 'a' });
		expect((await send(server(1))).status).toBe(200);
		const [key] = await listAccountApiKeys(context, account.id);
		await revokeKey(context, account.id, key!.id);
		for (const to of servers)
			await waitFor('the refusal', async () => (await send(to)).status === 401);
	});

	it('reaches the consoles that are open at others', async () => {
		await start();
		const told = jest.fn();
		const { id } = server(0).account;
		const stop = server(2).context.openPages.watch(id, told);
		// Messages from the start itself arrive first.
		await server(1).call('POST', '/push-notification', { title: 'a' });
		await waitFor('the console to be told', () => told.mock.calls.length > 0);
		stop();
	});

	it('leaves it to the server that stored a delayed delivery to send it', async () => {
		const gateway = new SteeredGateway();
		await start(PLENTY, gateway);
		for (const { context } of servers) context.outbox.start();
		const ends: Array<() => void> = [];
		gateway.answer = () =>
			new Promise((resolve) => ends.push(() => resolve({ kind: 'handed_over' })));
		const first = server(0).call('POST', '/badge', { badge: 1 });
		await waitFor('the first attempt', () => ends.length === 1);
		await server(1).call('POST', '/badge', { badge: 2 });
		expect(gateway.seen.map(({ message }) => message.content_json)).toEqual(['1']);
		ends[0]!();
		await first;
		await waitFor('the second attempt', () => ends.length === 2, OUTBOX_LOOKS_MS);
		expect(gateway.seen.map(({ message }) => message.content_json)).toEqual(['1', '2']);
		ends[1]!();
	});

	it('is handed over when it stops, as far as it has not begun', async () => {
		const gateway = new SteeredGateway();
		await start(PLENTY, gateway);
		const ends: Array<() => void> = [];
		gateway.answer = () =>
			new Promise((resolve) => ends.push(() => resolve({ kind: 'handed_over' })));
		gateway.maxOpen = 1;
		const pushes = ['a', 'b', 'c'].map((title) =>
			server(0).call('POST', '/push-notification', { title }),
		);
		await Promise.all(pushes);
		expect(ends).toHaveLength(1);
		const stopped = server(0).context.outbox.stop();
		gateway.answer = () => ({ kind: 'handed_over' });
		server(1).context.outbox.start();
		ends[0]!();
		await stopped;
		await waitFor('the others to be attempted', () => gateway.seen.length === 3, OUTBOX_LOOKS_MS);
		const states = await waitFor('the outcomes', async () => {
			const rows = await server(2)
				.context.database.read.selectFrom('deliveries')
				.select(['state', 'attempts'])
				.execute();
			return rows.every(({ state }) => state === 'handed_over') && rows;
		});
		expect(states).toHaveLength(3);
	});
});

describe('requests that several servers count', () => {
	it('are stored in one order, so that no two wait for each other', async () => {
		await start();
		const row = (feature: string) => ({
			account_id: server(0).account.id,
			hour: 0,
			feature,
			status: 200,
			requests: 1,
		});
		const [one, other] = [server(0).context.database.read, server(1).context.database.read];
		let stored: Promise<void> | undefined;
		await one.transaction().execute(async (db) => {
			await addRequestCounts(db, [row('badges')], 0);
			stored = other
				.transaction()
				.execute((db) => addRequestCounts(db, [row('metrics'), row('badges')], 0));
			await waitFor('the other to wait', async () => {
				const { rows } = await sql`
					select pid from pg_stat_activity
					where datname = current_database() and wait_event_type = 'Lock'`.execute(one);
				return rows.length > 0;
			});
			await addRequestCounts(db, [row('metrics')], 0);
		});
		await stored;
		const counts = await one.selectFrom('request_counts').select(['feature', 'requests']).execute();
		expect(counts.sort((a, b) => a.feature.localeCompare(b.feature))).toEqual([
			{ feature: 'badges', requests: 2 },
			{ feature: 'metrics', requests: 2 },
		]);
	});
});
