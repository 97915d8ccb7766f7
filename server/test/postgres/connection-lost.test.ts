import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { signedIn } from '../console/support/console.ts';
import { type EventStream, followEvents } from '../support/events.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const PLENTY = { BECKON_RATE_PER_ADDRESS: '100000', BECKON_RATE_NOTIFICATIONS: '100000' };

/** Five seconds are promised; a busy machine may take many times as long, and what hangs never ends. */
const LIMIT_SECONDS = 60;

const SENDERS = 6;

let cluster: Cluster;
beforeAll(async () => {
	cluster = await startCluster();
});
afterAll(() => cluster.remove());

async function freshDatabase(): Promise<string> {
	const name = `lost_${Math.random().toString(36).slice(2)}`;
	await cluster.createDatabase(name);
	return cluster.urlOf(name);
}

const titlesOf = async (server: TestServer) =>
	(await server.phone.inbox()).map(({ push }) => push.title).sort();

const push = (server: TestServer, title: string) =>
	server.call('POST', '/push-notification', { title });

const expectUnavailable = ({ status, body, headers }: Answer) => {
	expect(status).toBe(503);
	expect(Number(headers['retry-after'])).toBeGreaterThan(0);
	expect(body).toEqual({
		error: 'Storage unavailable',
		message: expect.stringContaining('Nothing was stored or sent'),
		code: 'not_stored',
		request_id: expect.anything(),
	});
};

describe('a server that loses its database', () => {
	let url: string;
	let server: TestServer;
	beforeEach(async () => {
		url = await freshDatabase();
		server = await startTestServer({
			settings: { ...PLENTY, BECKON_DATABASE_URL: url },
			followsOthers: true,
			// These tests take the database away on purpose.
			onError: () => undefined,
		});
	});
	afterEach(() => server.close());

	async function endSessions(): Promise<void> {
		const client = new pg.Client({ connectionString: url });
		await client.connect();
		await client.query(
			'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
		);
		await client.end();
	}

	/** Pushes until told to stop, and groups the titles by answer. */
	function send(senders: number) {
		const kept = new Set<string>();
		const refused = new Set<string>();
		const uncertain = new Set<string>();
		let isOver = false;
		const work = Array.from({ length: senders }, async (_, sender) => {
			for (let n = 0; !isOver; n += 1) {
				const title = `${sender}-${n}`;
				const answer = await push(server, title);
				if (answer.status === 200) kept.add(title);
				else if (/does not know/.test(answer.body['message'])) uncertain.add(title);
				else {
					expectUnavailable(answer);
					refused.add(title);
				}
			}
		});
		return {
			kept,
			refused,
			uncertain,
			/** Checks that every answer was true. */
			async expectTruth() {
				const stored = await titlesOf(server);
				expect(new Set(stored).size).toBe(stored.length);
				expect(stored.filter((title) => !uncertain.has(title))).toEqual([...kept].sort());
			},
			async stop() {
				isOver = true;
				await Promise.all(work);
			},
		};
	}

	it('keeps what it answered, and nothing that it refused, when every session is ended', async () => {
		const sending = send(6);
		for (let round = 1; round <= 8; round += 1) {
			await waitFor('more pushes', () => sending.kept.size >= round * 10);
			await endSessions();
		}
		const before = sending.kept.size;
		await waitFor('recovery', () => sending.kept.size > before + 20);
		await sending.stop();
		await sending.expectTruth();
	});

	it('says so in time when the database hangs, and goes on by itself', async () => {
		const calls = {
			push: () => push(server, 'hangs'),
			inbox: () => server.phone.call('GET', '/inbox'),
			acknowledge: () => server.phone.call('POST', '/acknowledge', { deliveries: [1] }),
			console: async () => {
				const url = '/console/api/login';
				const payload = { email: 'a@example.com', password: 'x' };
				const { statusCode } = await server.app.inject({ method: 'POST', url, payload });
				return { status: statusCode };
			},
		};
		const timed = async (call: () => Promise<{ status: number }>) => {
			const began = performance.now();
			const { status } = await call();
			return { status, seconds: (performance.now() - began) / 1_000 };
		};
		const readyz = async () => ({
			status: (await server.app.inject({ url: '/readyz' })).statusCode,
		});
		expect((await push(server, 'before')).status).toBe(200);
		const goOn = cluster.freeze();
		try {
			const ready = [timed(readyz)];
			// More than there are connections, at the beginning and once statements have had no answer.
			for (let round = 0; round < 2; round += 1) {
				const answers = await Promise.all(
					Array.from({ length: 10 }, () => Object.values(calls).map(timed)).flat(),
				);
				for (const { status, seconds } of answers) {
					expect([503, 429]).toContain(status);
					expect(seconds).toBeLessThan(LIMIT_SECONDS);
				}
				expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(20);
			}
			ready.push(timed(readyz));
			for (const { status, seconds } of await Promise.all(ready)) {
				expect(status).toBe(503);
				expect(seconds).toBeLessThan(LIMIT_SECONDS);
			}
		} finally {
			goOn();
		}
		await waitFor('readiness', async () => (await readyz()).status === 200);
		expect((await push(server, 'after')).status).toBe(200);
		expect(await titlesOf(server)).toEqual(expect.arrayContaining(['after', 'before']));
	});

	it('names in its 503 the policy of the address, and no rest that it does not know', async () => {
		await cluster.halt('fast');
		const answer = await push(server, 'refused');
		await cluster.resume();
		expectUnavailable(answer);
		expect(answer.headers).toMatchObject({
			'ratelimit-policy': '"public-api-ip:notifications";q=100000;w=60',
		});
		expect(answer.headers).not.toHaveProperty('ratelimit');
	});

	/** Waits until no statement runs: a process that is stopped in the middle of one may block all others. */
	async function atRest(): Promise<void> {
		const client = new pg.Client({ connectionString: url });
		await client.connect();
		await waitFor('rest', async () => {
			const { rowCount } = await client.query(
				"select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'",
			);
			return rowCount === 0;
		});
		await client.end();
	}

	async function timed(call: Promise<Answer>): Promise<Answer & { seconds: number }> {
		const began = performance.now();
		return { ...(await call), seconds: (performance.now() - began) / 1_000 };
	}

	it('says so in time when only the connections that are open hang, and goes on over new ones', async () => {
		const console = await signedIn(server);
		const calls: Array<() => Promise<Answer>> = [
			() => push(server, 'hangs'),
			() => server.phone.call('GET', '/inbox'),
			() => console.call('GET', '/history'),
		];
		// Opens every connection of the pool.
		await Promise.all(
			Array.from({ length: 10 }, () => calls.slice(1).map((call) => call())).flat(),
		);
		await atRest();
		const goOn = cluster.freeze('sessions');
		try {
			const answers = await Promise.all(calls.map((call) => timed(call())));
			for (const { seconds, ...answer } of answers) {
				expectUnavailable(answer);
				expect(seconds).toBeLessThan(LIMIT_SECONDS);
			}
			for (const call of calls) expect((await call()).status).toBe(200);
		} finally {
			goOn();
		}
		expect(await titlesOf(server)).toEqual(['hangs']);
	});

	it('keeps nobody waiting for longer behind a lock that a hanging connection holds', async () => {
		const { database } = server.context;
		let goOn: (() => void) | undefined;
		const held = database
			.write(server.account.id, () => {
				goOn = cluster.freeze('sessions');
				return Promise.resolve();
			})
			.then(
				() => 'stored',
				(error: unknown) => error,
			);
		try {
			await waitFor('the connections to hang', () => goOn !== undefined);
			const answers: Array<Promise<Answer & { seconds: number }>> = [];
			for (let n = 0; n < 40; n += 1) {
				answers.push(timed(push(server, `${n}`)));
				await new Promise((resolve) => setTimeout(resolve, 250));
			}
			for (const { seconds, ...answer } of await Promise.all(answers)) {
				expectUnavailable(answer);
				expect(seconds).toBeLessThan(LIMIT_SECONDS);
			}
			expect(await held).toMatchObject({ isUncertain: true });
		} finally {
			goOn?.();
		}
		await waitFor('the next push', async () => (await push(server, 'after')).status === 200);
		expect(await titlesOf(server)).toEqual(['after']);
	});

	it('keeps what it answered, and nothing that it refused, when connections hang in use', async () => {
		const sending = send(SENDERS);
		for (let round = 1; round <= 3; round += 1) {
			const { kept, refused, uncertain } = sending;
			const before = kept.size;
			await waitFor('more pushes', () => kept.size > before + 20);
			const failed = refused.size + uncertain.size;
			const frozen = [cluster.freeze('sessions')];
			let keptThen = kept.size;
			await waitFor('a refusal', () => {
				// A session that was just beginning was not among them.
				if (kept.size > keptThen + SENDERS) {
					keptThen = kept.size;
					frozen.push(cluster.freeze('sessions'));
				}
				return refused.size + uncertain.size > failed;
			}).finally(() => frozen.forEach((goOn) => goOn()));
		}
		const before = sending.kept.size;
		await waitFor('recovery', () => sending.kept.size > before + 20);
		await sending.stop();
		await sending.expectTruth();
	});

	it.each(['fast', 'crash'] as const)(
		'answers 503 while the database is away (%s), and goes on by itself',
		async (how) => {
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const stream: EventStream = await followEvents(base, server.phone.token);
			const sending = send(4);
			await waitFor('pushes', () => sending.kept.size > 20);
			await cluster.halt(how);
			await waitFor('refusals', () => sending.refused.size > 20);
			const anyone = await server.app.inject({
				method: 'GET',
				url: '/device/inbox',
				headers: { authorization: `Bearer ${server.phone.token}` },
			});
			expect(anyone.statusCode).toBe(503);
			await cluster.resume();
			const before = sending.kept.size;
			await waitFor('recovery', () => sending.kept.size > before + 20);
			await sending.stop();
			await sending.expectTruth();
			// The phone has stayed, or reconnects as phones do.
			await Promise.race([
				stream.ended,
				waitFor('the phone to have all', () => stream.deliveries().length >= sending.kept.size),
			]);
			await stream.close();
		},
	);
});

describe('a question whose webhook answers while the database is away', () => {
	it.each(['fast', 'crash'] as const)(
		'is answered once, also for the other server (%s)',
		async (how) => {
			const settings = {
				...PLENTY,
				BECKON_DATABASE_URL: await freshDatabase(),
				BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			};
			const options = { settings, followsOthers: true, onError: () => undefined };
			const one = await startTestServer(options);
			const other = await startTestServer({ ...options, beside: one });
			let letGo: () => void = () => undefined;
			const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
			const webhook = await startReceiver((_request, response) => {
				const answer = '{"message":"Released.","final":true}';
				void isLetGo.then(() => response.setHeader('content-type', 'application/json').end(answer));
			});
			try {
				const action = { title: 'Approve', type: 'webhook', url: webhook.url };
				await one.call('POST', '/push-notification', { title: 'Release?', actions: [action] });
				const { id } = (await one.phone.inbox()).at(-1);
				const tap = (by: TestServer) =>
					by.phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: id, action: 0 });
				const tapped = tap(one);
				await waitFor('the call', () => webhook.received.length > 0);
				await cluster.halt(how);
				letGo();
				const answer = { button: 'Approve', message: 'Released.', final: true };
				const called = { outcome: 'called', message: 'Released.', answer };
				expect(await tapped).toMatchObject({ status: 200, body: called });
				await cluster.resume();
				for (const by of [other, one]) {
					const { body } = await waitFor('an answer', async () => {
						const later = await tap(by);
						return later.status === 200 && later;
					});
					expect(body).toMatchObject({ outcome: 'refused', answer });
				}
				expect(webhook.received).toHaveLength(1);
			} finally {
				letGo();
				await webhook.close();
				await other.close();
				await one.close();
			}
		},
	);
});

/** Passes everything on between a server and PostgreSQL, until told to lose an answer. */
class Line {
	readonly #sockets = new Set<Socket>();
	#server: Server | undefined;
	/** The commit of the transaction with this text arrives, but its answer does not. */
	losesCommitOf: string | undefined;
	/** That loss also cuts every connection, until `isCut` is reset. */
	isCutByLoss = false;
	isCut = false;

	async listen(target: number): Promise<number> {
		this.#server = createServer((client) => {
			if (this.isCut) {
				client.destroy();
				return;
			}
			const database = connect(target, '127.0.0.1');
			let bringsIt = false;
			let isLosing = false;
			for (const socket of [client, database]) {
				this.#sockets.add(socket);
				socket.on('error', () => undefined);
				socket.on('close', () => {
					this.#sockets.delete(socket);
					client.destroy();
					database.destroy();
				});
			}
			client.on('data', (chunk) => {
				// Outcomes and times of last use are committed over other connections meanwhile.
				bringsIt ||= this.losesCommitOf !== undefined && chunk.includes(this.losesCommitOf);
				if (bringsIt && chunk.includes('commit')) {
					this.losesCommitOf = undefined;
					bringsIt = false;
					isLosing = true;
				}
				database.write(chunk);
			});
			database.on('data', (chunk) => {
				if (!isLosing) {
					client.write(chunk);
					return;
				}
				this.isCut = this.isCutByLoss;
				for (const socket of this.isCut ? this.#sockets : [client]) socket.destroy();
			});
		});
		await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
		return (this.#server?.address() as AddressInfo).port;
	}

	close(): void {
		this.#server?.close();
		for (const socket of this.#sockets) socket.destroy();
	}
}

describe('a commit whose answer is lost', () => {
	let line: Line;
	let server: TestServer;
	beforeEach(async () => {
		line = new Line();
		const url = new URL(await freshDatabase());
		url.port = String(await line.listen(cluster.port));
		server = await startTestServer({
			settings: { ...PLENTY, BECKON_DATABASE_URL: url.href },
			onError: () => undefined,
		});
		await push(server, 'first');
	});
	afterEach(async () => {
		line.isCut = false;
		await server.close();
		line.close();
	});

	it('is looked up, so that the request is stored once and answered', async () => {
		line.losesCommitOf = 'second';
		expect((await push(server, 'second')).status).toBe(200);
		expect(line.losesCommitOf).toBeUndefined();
		expect(await titlesOf(server)).toEqual(['first', 'second']);
	});

	it('is reported as not known when the database does not come back in time', async () => {
		line.losesCommitOf = 'second';
		line.isCutByLoss = true;
		const { status, body, headers } = await push(server, 'second');
		expect(status).toBe(503);
		expect(headers['retry-after']).toBe('5');
		expect(body).toMatchObject({
			error: 'Storage unavailable',
			message: expect.stringContaining('does not know whether it was stored'),
		});
		expect(body).not.toHaveProperty('code');
		line.isCut = false;
		expect(await titlesOf(server)).toEqual(['first', 'second']);
	});
});
