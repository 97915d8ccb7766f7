import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import {
	runJson,
	seed,
	type ServerProcess,
	startProcess,
	type StartOptions,
} from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const PLENTY = {
	BECKON_RATE_NOTIFICATIONS: '1000000',
	BECKON_RATE_LIVE_ACTIVITIES: '1000000',
	BECKON_RATE_PER_ADDRESS: '1000000',
};

describe('a server that is killed', () => {
	const directory = temporaryDirectory();
	let server: ServerProcess;
	let demo: { key: string; device_token: string };

	const boot = async (options: StartOptions = {}) => {
		server = await startProcess(directory.path, { settings: PLENTY, ...options });
	};
	const kill = async () => {
		server.signal('SIGKILL');
		expect(await server.finished).toMatchObject({ signal: 'SIGKILL' });
	};
	beforeEach(async () => {
		demo = await seed(directory.path);
		await boot();
	});
	afterEach(async () => {
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
	});

	async function call(
		method: string,
		path: string,
		token: string,
		body?: unknown,
	): Promise<{ status: number; body: any; headers: Headers }> {
		const response = await fetch(`${server.url}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${token}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		return { status: response.status, body: await response.json(), headers: response.headers };
	}
	const api = (method: string, path: string, body?: unknown) =>
		call(method, `/api${path}`, demo.key, body);

	async function inbox(): Promise<any[]> {
		const all: any[] = [];
		for (let after = 0, more = true; more;) {
			const { body } = await call(
				'GET',
				`/device/inbox?limit=500&after=${after}`,
				demo.device_token,
			);
			all.push(...body.deliveries);
			({ cursor: after, more } = body);
		}
		return all;
	}
	const titlesOf = (deliveries: any[]) =>
		deliveries.filter(({ kind }) => kind === 'push').map(({ push }) => push.title);

	it('still has all that it answered: history, delivery and inbox', async () => {
		const answered: string[] = [];
		const sent = new Set<string>();
		for (let round = 1; round <= 4; round += 1) {
			const target = answered.length + round * 5;
			let isUp = true;
			// Several senders at once, so the kill hits while other messages are being written.
			const senders = Array.from({ length: 4 }, async (_, sender) => {
				for (let index = 0; isUp; index += 1) {
					const title = `${round}-${sender}-${index}`;
					sent.add(title);
					const answer = await api('POST', '/push-notification', {
						title,
						tags: [`round-${round}`],
					}).catch(() => undefined);
					if (answer?.status === 200) answered.push(title);
				}
			});
			await waitFor('answers', () => answered.length >= target);
			await kill();
			isUp = false;
			await Promise.all(senders);
			await boot();
			const titles = titlesOf(await inbox());
			expect(new Set(titles).size).toBe(titles.length);
			expect(answered.filter((title) => !titles.includes(title))).toEqual([]);
			expect(titles.filter((title) => !sent.has(title))).toEqual([]);
		}
		const settled = async () => {
			const history: any[] = await runJson([
				'history',
				'list',
				'--account',
				'demo',
				'--limit',
				'1000',
				'--data',
				directory.path,
			]);
			// An answered push whose first attempt was never recorded is taken up when its lease ends.
			const counts = history.map(({ phones }) => phones.stored + phones.pending);
			expect(counts).toEqual(history.map(() => 1));
			return history.map(({ title, tags }) => `${title} ${tags.join()}`);
		};
		const told = await settled();
		expect(answered.filter((title) => !told.includes(`${title} round-${title[0]}`))).toEqual([]);
	});

	it('has one activity of a stream, and goes on with it', async () => {
		const put = (value: number) =>
			api('PUT', '/live-activity/stream/s', {
				content_state: { type: 'value', title: 'S', value },
			});
		const first = await put(1);
		expect(first.body).toMatchObject({ operation: 'started' });
		await kill();
		await boot();
		expect((await put(1)).body).toMatchObject({
			operation: 'noop',
			activity_id: first.body.activity_id,
		});
		expect((await put(2)).body).toMatchObject({
			operation: 'updated',
			activity_id: first.body.activity_id,
		});
		await kill();
		await boot();
		const { body } = await call('GET', '/device/snapshot', demo.device_token);
		expect(body.activities).toMatchObject([{ stream_key: 's', content_state: { value: 2 } }]);
	});

	it('refuses with 503 when the disk is full, stores nothing of it, and goes on once there is room', async () => {
		await kill();
		// Limits file size, which looks like a full disk to the database.
		await boot({ fileLimitKib: 768 });
		const message = 'x'.repeat(4_000);
		const answered: string[] = [];
		const refused = await waitFor('a full disk', async () => {
			const title = `${answered.length}`;
			const answer = await api('POST', '/push-notification', { title, message, tags: ['full'] });
			if (answer.status === 200) answered.push(title);
			return answer.status !== 200 && answer;
		});
		expect(refused.status).toBe(503);
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
		expect(refused.body).toEqual({
			error: 'Storage unavailable',
			message: expect.stringContaining('Nothing was stored or sent'),
			code: 'not_stored',
			request_id: expect.any(String),
		});
		expect(answered.length).toBeGreaterThan(3);
		expect(titlesOf(await inbox())).toEqual(answered);
		// Reads still work, and later writes are answered just as truthfully: a checkpoint may make room for one.
		for (let more = 0; more < 5; more += 1) {
			const title = `more ${more}`;
			const { status } = await api('POST', '/push-notification', { title, message });
			if (status === 200) answered.push(title);
			else expect(status).toBe(503);
		}
		expect(titlesOf(await inbox())).toEqual(answered);
		await kill();
		await boot();
		expect((await api('POST', '/push-notification', { title: 'room again' })).status).toBe(200);
		expect(titlesOf(await inbox())).toEqual([...answered, 'room again']);
	});
});
