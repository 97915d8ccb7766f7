import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { connect as openSocket, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { goneSignal } from '../../src/http/connections.ts';
import { HANDED_OVER } from '../../src/delivery/gateway.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { connectClient, modernMessage, olderMessage, REVISIONS } from './support/client.ts';

/** Whoever asks for an agent and hangs up, cancels or gives up leaves no open question, and no wait. */

/** Milliseconds until asking is answered although a push service is silent; stands for the usual 2 s. */
const FIRST_ATTEMPT_MS = 200;

const CHOICES = [
	{ id: 'yes', title: 'Yes' },
	{ id: 'no', title: 'No' },
];
const ASKED = { title: 'Deploy?', choices: CHOICES };

let gateway: SteeredGateway;
let server: TestServer;
let url: string;
let sender: string;
/** Lets a slow push service answer. */
let release: () => void;

beforeEach(async () => {
	gateway = new SteeredGateway();
	release = () => undefined;
	server = await startTestServer({
		settings: { ...UNLIMITED, BECKON_FIRST_ATTEMPT_MS: String(FIRST_ATTEMPT_MS) },
		gateway: gateway.before,
	});
	url = await server.app.listen({ host: '127.0.0.1', port: 0 });
	await server.addChannel('ops', { users: ['owner'] });
	sender = await server.addSenderKey(['ops']);
});
afterEach(async () => {
	release();
	await server.close();
});

function slowDown(): void {
	const answered = new Promise<void>((resolve) => (release = resolve));
	gateway.answer = async () => {
		await answered;
		return HANDED_OVER;
	};
}

const statuses = () =>
	server.context.database.read.selectFrom('questions').select('status').execute();
const openQuestions = async () => (await statuses()).filter(({ status }) => status === 'open');
const waits = () => server.context.questionWaits.size + server.context.triggerWaits.size;

/** Nothing is left once a later question was asked and withdrawn: whatever came before it is stored by then. */
async function expectNothingLeft(): Promise<void> {
	const later = await server.call('POST', '/questions', { ...ASKED, title: 'Later' });
	await server.call('DELETE', `/questions/${later.body['question_id']}`);
	await waitFor('all questions to end', async () => (await openQuestions()).length === 0);
	await waitFor('all waits to end', () => waits() === 0);
}

const HOOK = {
	path: '/agent-hook',
	headers: () => ({ authorization: `Bearer ${sender}` }),
	body: {
		hook_event_name: 'PermissionRequest',
		tool_name: 'Bash',
		tool_input: { command: 'npm publish' },
	},
};
/** A call of the tool `ask`. */
const calling = (message: typeof olderMessage | typeof modernMessage, meta?: object) => {
	const params = { name: 'ask', arguments: ASKED, ...(meta && { _meta: meta }) };
	const { headers, body } = message('tools/call', params);
	return {
		path: '/mcp',
		headers: () => ({ ...headers, authorization: `Bearer ${server.account.key}` }),
		body,
	};
};
const TOOL = calling(olderMessage);
const CALLERS = [
	['the hook', HOOK],
	['the tool ask', calling(modernMessage)],
	['the tool ask, with reports of its progress', calling(modernMessage, { progressToken: 1 })],
	['the tool ask, of an older client', TOOL],
	['the tool ask, of an older client, with reports', calling(olderMessage, { progressToken: 1 })],
] as const;

function post({ path, headers, body }: (typeof CALLERS)[number][1]) {
	const text = JSON.stringify(body);
	const request = openRequest(`${url}${path}`, {
		method: 'POST',
		headers: {
			...headers(),
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(text),
		},
	});
	request.on('error', () => undefined);
	return { request, text };
}

/** From the first byte on, in order; each begins on a condition, after which the client stays for a while. */
const MOMENTS = ['connected', 'part of the body', 'the body', 'the attempt', 'the wait'] as const;

describe.each(CALLERS)('a client of %s that hangs up', (_name, caller) => {
	const hangUp = async (moment: (typeof MOMENTS)[number], stay: number) => {
		const { request, text } = post(caller);
		const before = gateway.seen.length;
		request.flushHeaders();
		const [socket] = (await once(request, 'socket')) as [Socket];
		if (socket.connecting) await once(socket, 'connect');
		if (moment === 'part of the body') request.write(text.slice(0, text.length / 2));
		else if (moment !== 'connected') request.end(text);
		if (moment === 'the attempt') await waitFor('the attempt', () => gateway.seen.length > before);
		if (moment === 'the wait') await waitFor('the wait', () => waits() === 1);
		await new Promise((resolve) => setTimeout(resolve, stay));
		request.destroy();
		await expectNothingLeft();
	};

	it.each([
		['a fast push service', () => undefined],
		['a slow push service', slowDown],
	])('at any moment leaves no open question: %s', async (_service, prepare) => {
		prepare();
		// As long as 2.5 times the first attempt, which usually takes 2 s at most: 0 to 5 s.
		const stay = fc.integer({ min: 0, max: 2.5 * FIRST_ATTEMPT_MS });
		const stays = fc.tuple(...MOMENTS.map(() => fc.oneof(fc.constant(0), stay)));
		await fc.assert(
			fc.asyncProperty(stays, async (all) => {
				for (const [index, moment] of MOMENTS.entries()) await hangUp(moment, all[index] ?? 0);
			}),
			{ numRuns: 4, examples: [[[0, 0, 0, 0, 0]]], endOnFailure: true },
		);
	});

	it('while the push service has the question', async () => {
		slowDown();
		const { request, text } = post(caller);
		request.end(text);
		await waitFor('the attempt', () => gateway.seen.length > 0);
		request.destroy();
		await expectNothingLeft();
	});

	it('while it waits for the answer, and its wait ends', async () => {
		const { request, text } = post(caller);
		request.end(text);
		await waitFor('the wait', () => waits() === 1);
		request.destroy();
		await waitFor('its end', () => waits() === 0);
		await expectNothingLeft();
		expect(await statuses()).toEqual([{ status: 'withdrawn' }, { status: 'withdrawn' }]);
	});

	it('while its answer waits for another one on the same connection', async () => {
		const { hostname, port } = new URL(url);
		const socket = openSocket(Number(port), hostname);
		socket.on('error', () => undefined);
		await once(socket, 'connect');
		const { path, headers, body } = caller;
		const text = JSON.stringify(body);
		const lines = Object.entries({
			host: 'x',
			...headers(),
			'content-type': 'application/json',
			'content-length': String(Buffer.byteLength(text)),
		}).map(([name, value]) => `${name}: ${value}\r\n`);
		const request = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
		socket.write(request + request);
		await waitFor('both waits', () => waits() === 2);
		socket.destroy();
		await expectNothingLeft();
	});
});

describe('a request that waits', () => {
	it('knows that its client has hung up before', async () => {
		const app = fastify();
		const signals: boolean[] = [];
		// As slow authentication does.
		app.addHook('onRequest', async ({ raw: { socket } }) => {
			if (!socket.destroyed) await once(socket, 'close');
		});
		app.get('/', (_request, reply) => {
			signals.push(goneSignal(reply).aborted);
			reply.hijack();
		});
		const address = await app.listen({ host: '127.0.0.1', port: 0 });
		const connections = once(app.server, 'connection');
		const request = openRequest(address);
		request.on('error', () => undefined).end();
		await connections;
		await once(app.server, 'request');
		request.destroy();
		await waitFor('the handler', () => signals.length === 1);
		expect(signals).toEqual([true]);
		await app.close();
	});

	it.each([
		[
			'for an answer',
			async () => {
				const { body } = await server.call('POST', '/questions', ASKED);
				return `/api/questions/${body['question_id']}?wait=50`;
			},
		],
		[
			'for a tap',
			async () => {
				const id = `trg_${'a'.repeat(22)}`;
				await server.call('PUT', `/triggers/${id}`, { name: 'T', session: 's'.repeat(22) });
				return `/api/triggers/${id}/taps?session=${'s'.repeat(22)}&wait=50`;
			},
		],
	])('%s ends when its client hangs up', async (_for, prepare) => {
		const path = await prepare();
		const headers = { authorization: `Bearer ${server.account.key}` };
		const request = openRequest(`${url}${path}`, { headers });
		request.on('error', () => undefined).end();
		await waitFor('the wait', () => waits() === 1);
		request.destroy();
		await waitFor('its end', () => waits() === 0);
	});
});

describe.each(REVISIONS)('a client of the protocol, in revision %s', (_revision, mode) => {
	const connected = (key = server.account.key) => connectClient(url, key, mode);

	const ask = (client: Client, options: { signal?: AbortSignal; timeout?: number } = {}) =>
		client.callTool({ name: 'ask', arguments: ASKED }, options).catch((error: unknown) => error);

	it('that cancels leaves no open question, and ends its wait', async () => {
		const client = await connected();
		const stop = new AbortController();
		const asked = ask(client, { signal: stop.signal });
		await waitFor('the wait', () => waits() === 1);
		stop.abort();
		await waitFor('its end', () => waits() === 0);
		expect(await asked).toBeInstanceOf(Error);
		await expectNothingLeft();
		await client.close();
	});

	it('that gives up leaves none, also while a slow push service has the question', async () => {
		slowDown();
		const client = await connected();
		expect(await ask(client, { timeout: 50 })).toBeInstanceOf(Error);
		await expectNothingLeft();
		await client.close();
	});

	it('that cancels before its call has begun asks nobody', async () => {
		const id = 'a call of a slow connection';
		server.context.cancellations.cancel(id);
		const { signal } = new AbortController();
		const isGone = (gone: AbortSignal) => Promise.resolve(gone.aborted);
		expect(await server.context.cancellations.run(id, signal, isGone)).toBe(true);
		expect(await server.context.cancellations.run('another', signal, isGone)).toBe(false);
	});

	it('that is closed leaves none', async () => {
		const client = await connected();
		const asked = ask(client);
		await waitFor('the wait', () => waits() === 1);
		await client.close();
		await asked;
		await expectNothingLeft();
	});

	it('that cancels does not cancel the call of another one with the same key', async () => {
		const [one, other] = [await connected(), await connected()];
		const stop = new AbortController();
		const first = ask(one, { signal: stop.signal });
		const second = ask(other);
		await waitFor('both waits', () => waits() === 2);
		stop.abort();
		await waitFor('the end of one', () => waits() === 1);
		await first;
		await waitFor('one withdrawal', async () => (await openQuestions()).length === 1);
		await Promise.all([one.close(), other.close()]);
		await second;
		await expectNothingLeft();
	});

	it('that stops waiting for its own question withdraws it, but not one of another key', async () => {
		const waitFrom = async (key: string) => {
			const { body } = await server.call('POST', '/questions', ASKED, { key });
			const client = await connected();
			const given = { question_id: body['question_id'] };
			const stop = new AbortController();
			const waiting = client
				.callTool({ name: 'wait_for_answer', arguments: given }, { signal: stop.signal })
				.catch(() => undefined);
			await waitFor('the wait', () => waits() === 1);
			stop.abort();
			await waitFor('its end', () => waits() === 0);
			await waiting;
			await client.close();
			return String(body['question_id']);
		};
		const statusOf = async (id: string) =>
			(await server.call('GET', `/questions/${id}`)).body['status'];
		const own = await waitFrom(server.account.key);
		await waitFor('the withdrawal', async () => (await statusOf(own)) === 'withdrawn');
		const others = await waitFrom(await server.addKey(server.account.id));
		await server.call('GET', '/channels');
		expect(await statusOf(others)).toBe('open');
	});
});

describe('an agent', () => {
	it('cannot choose what the deadline answers', async () => {
		const { headers, body, path } = TOOL;
		const given = { ...ASKED, deadline: { after_seconds: 30, choice: 'yes' } };
		const call = { ...body, params: { name: 'ask', arguments: given } };
		const send = async (message: object) => {
			const sent = { method: 'POST', body: JSON.stringify(message) };
			const types = { ...headers(), 'content-type': 'application/json' };
			return await (await fetch(`${url}${path}`, { ...sent, headers: types })).json();
		};
		expect((await send(call)).result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('deadline.choice') }],
		});
		expect(await statuses()).toEqual([]);
		const { result } = await send({ ...body, method: 'tools/list', params: {} });
		const asks = result.tools.find(({ name }: any) => name === 'ask');
		expect(Object.keys(asks.inputSchema.properties.deadline.properties)).toEqual([
			'after_seconds',
			'at',
		]);
	});

	it('learns the id of its question when too many already wait', async () => {
		const limited = await startTestServer({
			settings: { ...UNLIMITED, BECKON_QUESTION_WAITS: '1' },
		});
		const waiting = new AbortController();
		const { body } = await limited.call('POST', '/questions', ASKED);
		const path = `/api/questions/${body['question_id']}?wait=50`;
		const headers = { authorization: `Bearer ${limited.account.key}` };
		const held = limited.app
			.inject({ url: path, headers, signal: waiting.signal })
			.catch(() => undefined);
		await waitFor('the wait', () => limited.context.questionWaits.size === 1);
		const { result } = (
			await limited.app.inject({
				method: 'POST',
				url: '/mcp',
				headers: { ...headers, accept: 'application/json, text/event-stream' },
				payload: TOOL.body,
			})
		).json();
		expect(result.structuredContent).toMatchObject({
			question_id: expect.any(String),
			status: 'open',
		});
		waiting.abort();
		await held;
		await waitFor('the end of the wait', () => limited.context.questionWaits.size === 0);
		await limited.close();
	});
});
