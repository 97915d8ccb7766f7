import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { temporaryDirectory } from '../support/directory.ts';
import { runJson, seed, type ServerProcess, startProcess } from '../support/process.ts';
import { requireProgram } from '../support/programs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { waitFor, within } from '../support/wait.ts';
import { type Caddy, startCaddy } from './support/caddy.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';

requireProgram('caddy');

const DISK_MB = 8;
const BALLAST_BYTES = 3 * 1_024 * 1_024;

/** Longer than any proxy takes to notice that a health check fails. */
const OUTAGE_MS = 8_000;

/** The real server on `directory`, with people, phones and keys last seen long ago. */
class Bench {
	readonly #directory: string;
	#server: ServerProcess | undefined;
	#caddy: Caddy | undefined;
	#demo = { key: '', device_token: '' };
	#cookie = '';
	/** Targets of requests: the server itself, and the proxy in front. */
	fronts: string[] = [];

	constructor(directory: string) {
		this.#directory = directory;
	}

	async start(): Promise<void> {
		const data = ['--data', this.#directory];
		this.#demo = await seed(this.#directory);
		this.#server = await startProcess(this.#directory, {
			settings: { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
		});
		const { url } = this.#server;
		const { link } = await runJson(['account', 'setup-link', '--account', 'demo', ...data]);
		const joined = await fetch(`${url}/console/api/join`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				token: new URL(link).hash.replace('#setup=', ''),
				name: 'Olga',
				email: 'olga@example.com',
				password: 'correct horse battery staple',
			}),
		});
		this.#cookie = joined.headers.getSetCookie()[0]?.split(';')[0] ?? '';
		this.#caddy = await startCaddy(url);
		this.fronts = [url, this.#caddy.url];
		await this.push('before');
		expect(await this.readyz()).toBe(200);
	}

	/** Ages all last uses beyond the minute after which they are written again. */
	forgetLastUse(): void {
		const store = new SqliteDatabase(join(this.#directory, 'beckon.db'));
		store.exec(
			'update devices set last_seen_at = 0; update sessions set last_used_at = last_used_at - 120000',
		);
		store.close();
	}

	async push(title: string, front = this.fronts[0]): Promise<number> {
		const { status } = await fetch(`${front}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${this.#demo.key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title, message: 'x'.repeat(4_000) }),
		});
		return status;
	}

	/** Sends a push with a button for the webhook. @returns the id of its delivery */
	async ask(title: string, url: string): Promise<number> {
		await fetch(`${this.fronts[0]}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${this.#demo.key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title: 'Release?', actions: [{ title, type: 'webhook', url }] }),
		});
		return (await this.#phone('/inbox?limit=500')).deliveries.at(-1).id;
	}

	/** Taps on the button. @returns the response */
	tap(delivery_id: number): Promise<any> {
		return this.#phone('/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
	}

	/** The newest notification on the lock screen. */
	async newest(): Promise<any> {
		return (await this.#phone('/snapshot')).notifications[0].push;
	}

	async #phone(path: string, body?: object): Promise<any> {
		const answer = await fetch(`${this.fronts[0]}/device${path}`, {
			method: body ? 'POST' : 'GET',
			headers: {
				authorization: `Bearer ${this.#demo.device_token}`,
				'content-type': 'application/json',
			},
			...(body && { body: JSON.stringify(body) }),
		});
		return answer.json();
	}

	async readyz(): Promise<number> {
		return (await fetch(`${this.fronts[0]}/readyz`)).status;
	}

	/** Checks that the phone and the console can read everywhere. */
	async expectReading(): Promise<void> {
		const phone = { authorization: `Bearer ${this.#demo.device_token}` };
		for (const front of this.fronts) {
			for (const path of ['/device/snapshot', '/device/inbox'])
				expect([path, front, (await fetch(front + path, { headers: phone })).status]).toEqual([
					path,
					front,
					200,
				]);
			const headers = { cookie: this.#cookie };
			for (const path of ['/session', '/history', '/devices'])
				expect([path, (await fetch(`${front}/console/api${path}`, { headers })).status]).toEqual([
					path,
					200,
				]);
			const stream = await fetch(`${front}/device/events`, { headers: phone });
			expect(stream.status).toBe(200);
			const reader = stream.body!.getReader();
			const first = await within('the first bytes of a stream', reader.read());
			expect(new TextDecoder().decode(first.value)).toContain('connected');
			await reader.cancel();
		}
	}

	async close(): Promise<void> {
		await this.#caddy?.close();
		this.#server?.signal('SIGKILL');
		await this.#server?.finished;
	}

	/** Checks that the signal ends the server as usual. @returns what it logged */
	async expectStop(): Promise<{ log: string }> {
		this.#server?.signal('SIGTERM');
		const end = await within('the end of the server', this.#server!.finished);
		expect(end).toMatchObject({ code: 0 });
		return { log: end.stderr };
	}
}

async function whileItLasts(ms: number, look: () => Promise<void>): Promise<void> {
	for (const end = performance.now() + ms; performance.now() < end;) {
		await look();
		await new Promise((resolve) => setTimeout(resolve, 250));
	}
}

const disk = mountSmallDisk(DISK_MB);
if (typeof disk === 'string')
	process.stdout.write(`Could not run on a full disk, as none can be mounted here: ${disk}\n`);
else disk.remove();

// Without such a disk the tests fail instead of being skipped.
describe('a disk that is really full', () => {
	let small: SmallDisk;
	let bench: Bench;
	beforeEach(async () => {
		small = mountSmallDisk(DISK_MB) as SmallDisk;
		writeFileSync(join(small.path, 'ballast'), Buffer.alloc(BALLAST_BYTES));
		bench = new Bench(join(small.path, 'data'));
		await bench.start();
	});
	afterEach(async () => {
		await bench.close();
		small.remove();
	});

	it('is reported by /readyz, lets everybody go on reading, and is over by itself', async () => {
		bench.forgetLastUse();
		await waitFor('a full disk', async () => (await bench.push('more')) === 503);
		expect(await bench.readyz()).toBe(503);
		await whileItLasts(OUTAGE_MS, async () => {
			await bench.expectReading();
			expect(await bench.readyz()).toBe(503);
		});
		for (const front of bench.fronts) expect(await bench.push('refused', front)).toBe(503);

		rmSync(join(small.path, 'ballast'));
		await waitFor('readiness', async () => (await bench.readyz()) === 200);
		for (const front of bench.fronts) expect(await bench.push('again', front)).toBe(200);
		await bench.expectStop();
	});

	describe('when it fills up while a webhook runs', () => {
		let webhook: Receiver;
		let letGo: () => void;
		beforeEach(async () => {
			const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
			webhook = await startReceiver((_request, response) => {
				const answer = '{"message":"Released.","final":true}';
				void isLetGo.then(() => response.setHeader('content-type', 'application/json').end(answer));
			});
		});
		afterEach(() => webhook.close());

		const answer = { button: 'Approve', message: 'Released.', final: true };

		/** Taps, and lets the webhook answer once nothing more fits on the disk. */
		async function answerWithoutRoom(): Promise<void> {
			const delivery = await bench.ask('Approve', webhook.url);
			const tapped = bench.tap(delivery);
			await waitFor('the call', () => webhook.received.length > 0);
			small.fill();
			letGo();
			expect(await tapped).toMatchObject({ outcome: 'called', message: 'Released.', answer });
			expect(await bench.tap(delivery)).toMatchObject({ outcome: 'refused', answer });
			small.empty();
			await waitFor('the answer in the store', async () => (await bench.newest()).answer);
			expect(await bench.tap(delivery)).toMatchObject({ outcome: 'refused', answer });
		}

		it('tells phones the answer, and stores it when there is room again', async () => {
			await answerWithoutRoom();
			expect(webhook.received).toHaveLength(1);
		});

		it('says that the answer is lost, when the server has to stop before', async () => {
			const delivery = await bench.ask('Approve', webhook.url);
			const tapped = bench.tap(delivery);
			await waitFor('the call', () => webhook.received.length > 0);
			small.fill();
			letGo();
			expect(await tapped).toMatchObject({ outcome: 'called', answer });
			const { log } = await bench.expectStop();
			expect(log).toContain('the outcomes of 1 called webhooks could not be stored');
			expect(log).not.toContain(webhook.url);
		});
	});
});

describe('a store that another program really locks', () => {
	const directory = temporaryDirectory();
	let bench: Bench;
	let holder: ChildProcess;
	beforeEach(async () => {
		bench = new Bench(directory.path);
		await bench.start();
	});
	afterEach(async () => {
		holder.kill('SIGKILL');
		await bench.close();
		directory.remove();
	});

	/** A separate process holds the lock until it is killed. */
	async function hold(): Promise<void> {
		const code = `
			const store = new (require('better-sqlite3'))(${JSON.stringify(join(directory.path, 'beckon.db'))});
			store.exec('begin exclusive');
			console.log('held');
			setInterval(() => undefined, 1000);`;
		holder = spawn(process.execPath, ['-e', code], {
			cwd: import.meta.dirname,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await within('the lock', new Promise((resolve) => holder.stdout?.once('data', resolve)));
	}

	it('is reported by /readyz, lets everybody go on reading, and is over by itself', async () => {
		bench.forgetLastUse();
		await hold();
		const pushed = bench.push('held up');
		await waitFor('word of it', async () => (await bench.readyz()) === 503);
		await whileItLasts(OUTAGE_MS, async () => {
			await bench.expectReading();
			expect(await bench.readyz()).toBe(503);
		});
		expect(await pushed).toBe(503);

		holder.kill('SIGKILL');
		await waitFor('readiness', async () => (await bench.readyz()) === 200);
		for (const front of bench.fronts) expect(await bench.push('again', front)).toBe(200);
	});
});
