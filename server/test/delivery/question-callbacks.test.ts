import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QuestionCallbacks } from '../../src/service/questions/callbacks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const json = (status: number) => (response: ServerResponse) =>
	response.writeHead(status, { 'content-type': 'application/json' }).end('{"received":true}');
const page = (response: ServerResponse) =>
	response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Over</p>');
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
		await server.context.questionCallbacks.begin(server.context);
		await server.context.questionCallbacks.settle();
		return receiver.received.length;
	};

	it.each([
		['JSON', 'delivered', json(200)],
		['another status of success', 'delivered', json(202)],
		['a page, as of an execution that has ended', 'over', page],
		['404', 'over', json(404)],
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
		['that is refused (401)', [json(401)], [0, 2, 4], 'refused'],
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

	it('that the server was killed in is made again after 30 seconds, and no sooner', async () => {
		let letGo: () => void = () => undefined;
		replies = [(response) => (letGo = () => json(200)(response)), json(200)];
		const id = await answered();
		// It never stores the outcome in time.
		const killed = new QuestionCallbacks(() => undefined);
		await killed.begin(server.context);
		await waitFor('the call', () => receiver.received.length === 1);
		expect(await callsAfter(29)).toBe(1);
		expect(await callsAfter(1)).toBe(2);
		expect(await stateOf(id)).toBe('delivered');
		letGo();
		await killed.settle();
		expect(await stateOf(id)).toBe('delivered');
	});

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
