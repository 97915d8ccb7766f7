import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { seed, startProcess } from '../support/process.ts';
import { waitFor, within } from '../support/wait.ts';
import { startCaddy } from './support/caddy.ts';
import { titlesArrived } from './support/inbox.ts';
import { startSupervised } from './support/supervised.ts';

const EVERY_MS = 10;
const SECONDS = 8;
const RESTART_AFTER_MS = 2_000;

describe('a server told to stop', () => {
	it('fails /readyz first, and still answers, each time on a connection that then closes', async () => {
		const directory = temporaryDirectory();
		const { key } = await seed(directory.path);
		const server = await startProcess(directory.path, {
			settings: { BECKON_DRAIN_SECONDS: '60' },
		});
		server.signal('SIGTERM');
		const ready = () => fetch(`${server.url}/readyz`);
		await waitFor('/readyz to fail', async () => (await ready()).status === 503);
		expect(await (await ready()).json()).toMatchObject({ error: 'Stopping', code: 'not_stored' });
		const { status, headers } = await fetch(`${server.url}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title: 'Late' }),
		});
		expect([status, headers.get('connection')]).toEqual([200, 'close']);
		// Told again, it does not wait any longer.
		server.signal('SIGINT');
		const { code, stderr } = await within('the end', server.finished);
		expect([code, stderr]).toEqual([0, expect.not.stringContaining('"level":50')]);
		directory.remove();
	});

	it('answers requests that wait for a question with its state, at once', async () => {
		const directory = temporaryDirectory();
		const { key } = await seed(directory.path);
		const server = await startProcess(directory.path);
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const asked = await fetch(`${server.url}/api/questions`, {
			method: 'POST',
			headers,
			body: JSON.stringify({ title: 'Deploy?', text: {} }),
		});
		const { question_id: id } = (await asked.json()) as { question_id: string };
		const wait = () => fetch(`${server.url}/api/questions/${id}?wait=50`, { headers });
		// A key may have 60 of them.
		const waiting = Array.from({ length: 61 }, wait);
		const refused = await within('a refusal', Promise.race(waiting));
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
		server.signal('SIGTERM');
		const answers = await within('the answers', Promise.all(waiting));
		const states = answers.filter((answer) => answer !== refused).map((answer) => answer.json());
		expect(await Promise.all(states)).toEqual(
			Array(60).fill(expect.objectContaining({ question_id: id, status: 'open' })),
		);
		expect(await within('the end', server.finished)).toMatchObject({ code: 0 });
		directory.remove();
	});
});

describe('a server restarted at its socket, at 100 requests a second', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: Awaited<ReturnType<typeof startSupervised>>;
	let key: string;
	let phone: string;
	beforeEach(async () => {
		directory = temporaryDirectory();
		({ key, device_token: phone } = await seed(directory.path));
		server = await startSupervised(directory.path, {
			BECKON_RATE_NOTIFICATIONS: '100000',
			BECKON_RATE_PER_ADDRESS: '100000',
		});
	});
	afterEach(async () => {
		await server.close();
		directory.remove();
	});

	it.each([
		['directly', undefined, 0, 0],
		['behind Caddy, with the shipped Caddyfile', startCaddy, 0, 0],
		['behind Caddy, though it stands still before and while it stops', startCaddy, 1_200, 0],
		['behind Caddy, though Caddy stands still while it stops', startCaddy, 0, 1_500],
	])('refuses none of them, %s', async (_way, front, frozenMs, proxyFrozenMs) => {
		const proxy = await front?.(server.url);
		const url = proxy?.url ?? server.url;
		const agent = new Agent({ keepAlive: true });
		const answers = new Map<string, number>();
		const send = async (n: number) => {
			await setTimeout(n * EVERY_MS);
			const answer = await push(`${url}/api/push-notification`, agent, `push ${n}`);
			answers.set(answer, (answers.get(answer) ?? 0) + 1);
		};
		const count = (SECONDS * 1_000) / EVERY_MS;
		const sent = Promise.all(Array.from({ length: count }, (_, n) => send(n)));
		// Caddy opens a connection for each request meanwhile, and keeps it.
		await server.freeze(frozenMs / 4);
		await setTimeout(RESTART_AFTER_MS);
		const restarted = server.restart();
		if (frozenMs > 0) {
			await waitFor('the end to begin', async () => !(await fetch(`${server.url}/readyz`)).ok);
			await server.freeze(frozenMs);
		}
		await proxy?.freeze(proxyFrozenMs);
		await restarted;
		await sent;
		agent.destroy();
		await proxy?.close();
		expect([...answers]).toEqual([['200', count]]);
		expect(new Set(await titlesArrived(server.url, phone)).size).toBe(count);
	});

	/** @returns the status, or the error of the connection */
	function push(url: string, agent: Agent, title: string): Promise<string> {
		return new Promise((resolve) => {
			const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
			request(url, { method: 'POST', agent, headers }, (answer) => {
				answer.resume().once('end', () => resolve(`${answer.statusCode}`));
			})
				.once('error', (error) => resolve(String(error)))
				.end(JSON.stringify({ title }));
		});
	}
});
