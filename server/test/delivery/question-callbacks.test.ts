import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/log.ts';
import { historyEntry } from '../../src/service/history/entry.ts';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { signedIn } from '../console/support/console.ts';
import { settleDue } from '../support/later.ts';
import { runCli } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const json = (status: number) => (response: ServerResponse) =>
	response.writeHead(status, { 'content-type': 'application/json' }).end('{"received":true}');
const page = (title: string) => (response: ServerResponse) =>
	response
		.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
		.end(`<html><title>${title}</title></html>`);
const finished = (response: ServerResponse) =>
	response
		.writeHead(409, { 'content-type': 'application/json' })
		.end('{"code":409,"message":"The execution \\"7 has finished already."}');
const redirect = (status: number) => (response: ServerResponse) =>
	response.writeHead(status, { location: '/elsewhere' }).end();
const elsewhere = (response: ServerResponse) =>
	response.writeHead(307, { location: 'http://localhost:1/' }).end();
/** The request has arrived, but nobody knows what became of it. */
const reset = (response: ServerResponse) => response.destroy();

describe('the callback of a question', () => {
	let server: TestServer;
	let receiver: Receiver;
	/** How the calls are answered, in turn; the last one repeats. */
	let replies: Array<(response: ServerResponse) => void>;
	beforeEach(async () => {
		receiver = await startReceiver((_request, response) => {
			const [reply, ...more] = replies;
			if (more.length > 0) replies = more;
			reply?.(response);
		});
		const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };
		server = await startTestServer({ settings });
	});
	afterEach(async () => {
		await receiver.close();
		await server.close();
	});

	/** @returns the id of an answered question */
	const answered = async (url = receiver.url): Promise<string> => {
		const { body } = await server.call('POST', '/questions', {
			title: 'Deploy?',
			choices: [{ id: 'yes', title: 'Approve' }],
			callback: { url },
		});
		const id = String(body['question_id']);
		const answer = { tap_id: randomUUID(), choice: 'yes' };
		await server.phone.call('POST', `/questions/${id}/answer`, answer);
		return id;
	};
	const stateOf = async (id: string) =>
		(await server.call('GET', `/questions/${id}`)).body['callback'];
	/** Makes the calls that are due after this many seconds. @returns the number of all calls */
	const callsAfter = async (seconds: number): Promise<number> => {
		server.clock.advance(seconds);
		await settleDue(server.context, callbacks);
		return receiver.received.length;
	};

	it.each([
		['JSON', 'delivered', json(200)],
		['another status of success', 'delivered', json(202)],
		['n8n’s page for an execution that has ended', 'over', page('No action required')],
		['n8n’s words for an execution that has ended', 'over', finished],
		['410', 'over', json(410)],
	])('answered with %s is %s, after one call', async (_what, state, reply) => {
		replies = [reply];
		const id = await answered();
		expect(await callsAfter(0)).toBe(1);
		expect(await stateOf(id)).toBe(state);
		expect(await callsAfter(3_600)).toBe(1);
	});

	it.each([
		['while it is busy (409)', [json(409), json(409), json(200)], [0, 1, 2], 'delivered'],
		['that is refused (401)', [json(401), json(401), json(200)], [0, 5, 10], 'delivered'],
		['that is not found (404)', [json(404), json(200)], [0, 5], 'delivered'],
		['that a login page answers', [page('Sign in'), json(200)], [0, 5], 'delivered'],
		['whose body a redirect loses (302)', [redirect(302), json(200)], [0, 5], 'delivered'],
		['that leads to another host', [elsewhere, json(200)], [0, 5], 'delivered'],
		['that fails (503)', [json(503), json(503), json(200)], [0, 5, 10], 'delivered'],
		['whose outcome is not known', [reset, json(200)], [0, 30], 'delivered'],
	])('%s is made again, and no sooner', async (_what, list, pauses, state) => {
		replies = [...list];
		const id = await answered();
		for (const [made, pause] of pauses.entries()) {
			if (pause > 0) {
				expect(await callsAfter(pause - 0.1)).toBe(made);
				expect(await stateOf(id)).toBe('pending');
			}
			expect(await callsAfter(pause > 0 ? 0.1 : 0)).toBe(made + 1);
		}
		expect(await stateOf(id)).toBe(state);
		expect(await callsAfter(3_600)).toBe(pauses.length);
	});

	it.each([307, 308])('follows a redirect with %i, which keeps its body', async (status) => {
		replies = [redirect(status), json(200)];
		const id = await answered();
		expect(await callsAfter(0)).toBe(2);
		expect(receiver.received).toMatchObject([
			{ method: 'POST', path: '/' },
			{ method: 'POST', path: '/elsewhere', body: expect.stringContaining(id) },
		]);
		expect(await stateOf(id)).toBe('delivered');
	});

	it('that the server was killed in is made again after 30 seconds, and no sooner', async () => {
		let letGo: () => void = () => undefined;
		replies = [(response) => (letGo = () => json(200)(response)), json(200)];
		const id = await answered();
		// It never stores the outcome in time.
		const killed = settleDue(server.context, callbacks);
		await waitFor('the call', () => receiver.received.length === 1);
		expect(await callsAfter(29)).toBe(1);
		expect(await callsAfter(1)).toBe(2);
		expect(await stateOf(id)).toBe('delivered');
		letGo();
		await killed;
		expect(await stateOf(id)).toBe('delivered');
	});

	it('has its status in the question, the history and the log, never its body', async () => {
		const lines: string[] = [];
		const write = (line: string) => void lines.push(line);
		server.context.logger = createLogger({ BECKON_LOG_LEVEL: 'info' }, { write });
		replies = [(response) => response.writeHead(403).end('{"message":"secret words"}'), reset];
		const id = await answered();
		const show = ['history', 'show', id, '--account', server.account.name];
		const read = async () => {
			const { body: state } = await server.call('GET', `/questions/${id}`);
			const entry = await historyEntry(server.context, server.account.id, id);
			const { stdout } = await runCli([...show, '--data', server.store.directory], server.settings);
			return { state: state['callback_status'], entry: entry.question?.callback_status, stdout };
		};
		await callsAfter(0);
		const first = await read();
		expect(first).toMatchObject({ state: 403, entry: 403 });
		expect(first.stdout).toContain(
			'The callback has not been delivered yet. The last call: answered 403.',
		);
		await callsAfter(5);
		const second = await read();
		expect(second).toMatchObject({ state: 'unknown', entry: 'unknown' });
		expect(second.stdout).toContain('The last call: there was no answer.');
		expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
			{ question: id, tries: 1, answer: 403 },
			{ question: id, tries: 2, answer: 'unknown' },
		]);
		expect(JSON.stringify([first, second, lines])).not.toMatch(/secret|127\.0\.0\.1/);
	});

	it('is made again when somebody asks for that, whatever has become of it', async () => {
		replies = [json(410), json(503), json(200), json(200)];
		const id = await answered();
		expect(await callsAfter(0)).toBe(1);
		expect(await stateOf(id)).toBe('over');
		const owner = await signedIn(server);
		expect((await owner.call('POST', `/questions/${id}/callback`)).status).toBe(200);
		expect(await stateOf(id)).toBe('pending');
		expect(await callsAfter(0)).toBe(2);
		// Without waiting for the next try.
		const again = ['history', 'tell-again', id, '--account', server.account.name];
		const ran = await runCli([...again, '--data', server.store.directory], server.settings);
		expect(ran).toMatchObject({ code: 0, stderr: '' });
		expect(await callsAfter(0)).toBe(3);
		expect(await stateOf(id)).toBe('delivered');
		await owner.call('POST', `/questions/${id}/callback`);
		expect(await callsAfter(0)).toBe(4);
	});

	it('is not made again for an open question, nor for one without a callback', async () => {
		const owner = await signedIn(server);
		const ask = async (more: object) => {
			const asked = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Approve' }], ...more };
			return String((await server.call('POST', '/questions', asked)).body['question_id']);
		};
		const open = await ask({ callback: { url: receiver.url } });
		const uncalled = await ask({});
		await owner.call('POST', `/questions/${uncalled}/answer`, { choice: 'yes' });
		for (const id of [open, uncalled])
			expect((await owner.call('POST', `/questions/${id}/callback`)).status).toBe(409);
		expect(await callsAfter(0)).toBe(0);
	});

	it.each(['true', 'false'])(
		'to a name that is not found is made again, whatever words are in it (private: %s)',
		async (allowed) => {
			await server.close();
			const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: allowed };
			server = await startTestServer({ settings });
			const id = await answered('https://n8n.private.not-allowed.invalid/resume');
			for (const pause of [0, 30, 60, 120]) await callsAfter(pause);
			expect(await stateOf(id)).toBe('pending');
		},
	);

	it('to an address that is not allowed is refused', async () => {
		const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'false' };
		await server.close();
		server = await startTestServer({ settings });
		const id = await answered('https://127.0.0.1/resume');
		for (const pause of [0, 2, 4]) await callsAfter(pause);
		expect(await stateOf(id)).toBe('refused');
		expect(receiver.received).toEqual([]);
	});
});
