import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { startCluster } from '../support/postgres-cluster.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';
import { mountSmallDisk } from './support/small-disk.ts';

const DISK_MB = 8;

/** Milliseconds until a call is made again whose outcome is not known. */
const LEASE_MS = 30_000;
/** A store that fails as a whole, and is whole again. */
interface Store {
	directory: string;
	settings: Record<string, string>;
	fail(): Promise<void>;
	restore(): Promise<void>;
	remove(): Promise<void>;
}

/** The embedded store, on a disk that fills up. */
async function onSmallDisk(): Promise<Store> {
	const disk = mountSmallDisk(DISK_MB);
	if (typeof disk === 'string') throw new Error(`No disk can be mounted here: ${disk}`);
	return {
		directory: join(disk.path, 'data'),
		settings: {},
		fail: async () => disk.fill(),
		restore: async () => disk.empty(),
		remove: async () => disk.remove(),
	};
}

/** PostgreSQL, which is killed. */
async function onPostgres(): Promise<Store> {
	const cluster = await startCluster();
	await cluster.createDatabase('beckon');
	const directory = temporaryDirectory();
	return {
		directory: directory.path,
		settings: { BECKON_DATABASE_URL: cluster.urlOf('beckon') },
		fail: () => cluster.halt('crash'),
		restore: () => cluster.resume(),
		async remove() {
			await cluster.remove();
			directory.remove();
		},
	};
}

describe.each([
	['a disk that is full', onSmallDisk],
	['PostgreSQL that was killed', onPostgres],
])('the callback of a question, with %s', (_what, createStore) => {
	let store: Store;
	let server: ServerProcess;
	let demo: { key: string; device_token: string };
	let asking: Receiver;
	let calledAt: number[];
	let taken: Promise<void>;
	beforeEach(async () => {
		calledAt = [];
		taken = Promise.resolve();
		asking = await startReceiver((_request, response) => {
			calledAt.push(performance.now());
			response.setHeader('content-type', 'application/json');
			void taken.then(() => response.end('{"received":true}'));
		});
		store = await createStore();
		demo = await seed(store.directory, store.settings);
		server = await startProcess(store.directory, {
			settings: { ...UNLIMITED, ...store.settings, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
		});
	});
	afterEach(async () => {
		server.signal('SIGKILL');
		await server.finished;
		await store.remove();
		await asking.close();
	});

	async function call(method: string, path: string, body?: object) {
		const token = path.startsWith('/device') ? demo.device_token : demo.key;
		const answer = await fetch(server.url + path, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		return { status: answer.status, body: await answer.json() };
	}

	async function ask(): Promise<string> {
		const choices = [{ id: 'yes', title: 'Yes' }];
		const callback = { url: asking.url };
		const { status, body } = await call('POST', '/api/questions', {
			...{ title: 'Ship?', choices, callback },
		});
		expect(status).toBe(200);
		return body.question_id;
	}
	const stateOf = async (id: string) => (await call('GET', `/api/questions/${id}`)).body;
	const isDelivered = (id: string) => async () => (await stateOf(id)).callback === 'delivered';
	const callbacks = () => asking.received.map(({ body }) => JSON.parse(body));

	it('waits until the answer is stored, and comes once', async () => {
		const id = await ask();
		const tap = { tap_id: randomUUID(), choice: 'yes' };
		const answer = () => call('POST', `/device/questions/${id}/answer`, tap);
		await store.fail();
		expect((await answer()).status).toBe(503);
		expect(callbacks()).toEqual([]);

		await store.restore();
		await waitFor('the answer', async () => (await answer()).status === 200);
		await waitFor('the callback', isDelivered(id));
		expect((await answer()).body).toMatchObject({ outcome: 'answered' });
		expect(callbacks()).toMatchObject([{ question_id: id, answer: { choice: 'yes' } }]);
	});

	it('comes again when its outcome could not be stored, and says so until then', async () => {
		let take = (): void => undefined;
		taken = new Promise((resolve) => (take = resolve));
		const id = await ask();
		const tap = { tap_id: randomUUID(), choice: 'yes' };
		const answered = await call('POST', `/device/questions/${id}/answer`, tap);
		expect(answered.body).toMatchObject({ outcome: 'answered' });
		await waitFor('the call', () => calledAt.length === 1);

		await store.fail();
		const logged = server.log().length;
		take();
		// An error of pino: the call itself, which is made before its outcome is stored, logs information.
		await waitFor('the failure', () => server.log().slice(logged).includes('"level":50'));
		await store.restore();
		await waitFor('the server', async () => (await stateOf(id)).status === 'answered');
		expect(await stateOf(id)).toMatchObject({ callback: 'pending' });

		await waitFor('the second call', isDelivered(id));
		const [first, second, ...more] = callbacks();
		expect(more).toEqual([]);
		expect(second).toEqual(first);
		expect(second).toMatchObject({ question_id: id, answer: { choice: 'yes' } });
		expect(calledAt[1]! - calledAt[0]!).toBeGreaterThan(LEASE_MS - 1_000);
	});
});
