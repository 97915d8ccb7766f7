import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { createLogger, describeError } from '../../src/log.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { followEvents } from '../support/events.ts';
import { runJson, type ServerProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { SUBSCRIPTION, UNLIMITED } from '../support/samples.ts';
import { waitFor, within } from '../support/wait.ts';

const KEY = `bk_${'k'.repeat(43)}`;

describe('what is logged of an error', () => {
	it.each([
		['a key', `no such key ${KEY}`, KEY],
		['a sender key', `no such key bs_${'k'.repeat(43)}`, `bs_${'k'.repeat(43)}`],
		['ntfy’s key in a query', 'POST /ntfy/ops?auth=QmVhcmVyIGJz failed', 'QmVhcmVyIGJz'],
		['a token in a header', 'authorization: Bearer abc.def-123', 'abc.def-123'],
		['a token in a query', 'GET /phone?after=1&token=abcdef failed', 'abcdef'],
		['a setup link', 'cannot open https://beckon.example.com/console#setup=abcdef', 'abcdef'],
		['the path of a webhook', 'POST https://hooks.example.com/T0/s3cret failed', 's3cret'],
		['a password of a database', 'cannot reach postgres://beckon:s3cret@db:5432/beckon', 's3cret'],
	])('lacks %s', (_what, message, secret) => {
		const cause = Object.assign(new TypeError(message), {
			input: secret,
			config: { url: message },
		});
		const logged = JSON.stringify(describeError(new Error(message, { cause })));
		expect(logged).not.toContain(secret);
		expect(logged).toContain('"type":"TypeError"');
	});

	it('has what it takes to find the mistake', () => {
		const error = Object.assign(new Error('connect ECONNREFUSED https://push.example.com/x'), {
			code: 'ECONNREFUSED',
		});
		expect(describeError(error)).toEqual({
			type: 'Error',
			message: 'connect ECONNREFUSED https://push.example.com/…',
			code: 'ECONNREFUSED',
			stack: expect.stringMatching(/log\.test\.ts\S*:\d+/),
		});
		expect(describeError('just text')).toEqual({ type: 'string', message: 'just text' });
	});

	it('has the statement of an error of the store, and nothing else about its values', () => {
		const error = Object.assign(new Error('duplicate key value'), {
			statement: 'insert into "members" ("email") values ($1)',
			detail: 'Key (email)=(ada@example.com) already exists.',
			where: 'unnamed portal with parameters: $1 = ada@example.com',
			parameters: ['ada@example.com'],
		});
		const logged = describeError(error);
		expect(logged.statement).toBe('insert into "members" ("email") values ($1)');
		expect(JSON.stringify(logged)).not.toContain('ada@');
	});

	it('names requests by their route, not by what was asked', () => {
		const lines: string[] = [];
		const logger = createLogger(
			{ BECKON_LOG_LEVEL: 'debug' },
			{ write: (line) => lines.push(line) },
		);
		const req = {
			method: 'GET',
			url: `/device/events?token=${KEY}`,
			headers: { cookie: KEY, authorization: KEY },
			routeOptions: { url: '/device/events' },
		};
		logger.info({ req, res: { statusCode: 200, request: req } }, 'done');
		expect(JSON.parse(lines[0]!)).toMatchObject({
			req: { method: 'GET', route: '/device/events' },
			res: { status: 200 },
		});
		expect(lines[0]).not.toContain(KEY);
	});
});

/** Sends requests, and remembers every secret in them. */
class SignedIn {
	readonly secrets = new Set<string>();
	readonly #server: ServerProcess;

	constructor(server: ServerProcess) {
		this.#server = server;
	}

	knows(...secrets: string[]): void {
		for (const secret of secrets) this.secrets.add(secret);
	}

	async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
		const answer = await fetch(`${this.#server.url}${path}`, {
			method,
			headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
			...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
			redirect: 'manual',
		});
		const text = await answer.text();
		const isJson = answer.headers.get('content-type')?.startsWith('application/json');
		return {
			status: answer.status,
			body: (isJson ? JSON.parse(text) : {}) as Record<string, any>,
			cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
		};
	}
}

describe('the log of a server that was used for everything', () => {
	it('holds none of the secrets that were used', async () => {
		const directory = temporaryDirectory();
		const data = ['--data', directory.path];
		const settings = {
			...UNLIMITED,
			BECKON_LOG_LEVEL: 'debug',
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
			BECKON_METRICS_PORT: '0',
		};
		const server = await startProcess(directory.path, { settings });
		const receiver = await startReceiver((_request, response) => {
			response.statusCode = 500;
			response.end();
		});
		try {
			const visitor = new SignedIn(server);
			const account = ['--account', 'acme', ...data];
			await runJson(['account', 'create', '--name', 'acme', '--owner', 'o@example.com', ...data]);
			const { key } = await runJson(['key', 'create', '--name', 'n8n', ...account]);
			const { code } = await runJson(['device', 'pair-code', ...account]);
			const { link } = await runJson(['account', 'setup-link', ...account]);
			const setup = String(link).split('#setup=')[1]!;
			visitor.knows(key, code, setup);
			await useApi(visitor, key, receiver.url);
			await usePhone(visitor, server.url, code, key, receiver.url);
			await useConsole(visitor, setup);
			const senderKey = await useSenders(visitor, account);
			await breakStore(visitor, directory.path, key, senderKey);

			await waitFor('the failure in the log', () => server.log().includes('request failed'));
			expect(visitor.secrets.size).toBeGreaterThan(15);
			for (const secret of visitor.secrets) expect(server.log()).not.toContain(secret);
		} finally {
			server.signal('SIGTERM');
			await within('the end of the server', server.finished);
			await receiver.close();
			directory.remove();
		}
	});
});

async function useApi(visitor: SignedIn, key: string, hook: string): Promise<void> {
	const api = (method: string, path: string, body?: unknown, token = key) =>
		visitor.ask(method, `/api${path}`, body, { authorization: `Bearer ${token}` });
	const state = { type: 'progress', title: 'Backup', percentage: 1 };
	const sent = { title: 'Deploy', message: 'private words', payload: { pin: 'payload-4711' } };
	const wrongKey = `bk_${'w'.repeat(43)}`;
	visitor.knows(
		'private words',
		'payload-4711',
		wrongKey,
		'query-secret',
		'path-secret',
		'header-secret',
	);
	for (const token of [key, wrongKey]) {
		await api('POST', '/push-notification', sent, token);
		await api('POST', '/badge', { badge: 3 }, token);
		await api('PUT', '/live-activity/stream/backup', { content_state: state }, token);
		await api('DELETE', '/live-activity/stream/backup', undefined, token);
		await api('POST', '/live-activity/start', { content_state: state }, token);
		await api('POST', '/metrics/cpu/value', { value: 1 }, token);
	}
	const action = { title: 'Go', type: 'webhook', url: `${hook}/hook-secret` };
	visitor.knows('hook-secret');
	await api('POST', '/push-notification', { ...sent, actions: [action] });
	await api('POST', '/push-notification?token=query-secret', '{"title": "cut');
	await api('POST', '/nowhere/path-secret?setup=query-secret', {});
	await visitor.ask('GET', '/api/openapi.json', undefined, {
		cookie: 'beckon_session=header-secret',
	});
}

async function usePhone(
	visitor: SignedIn,
	url: string,
	code: string,
	key: string,
	hook: string,
): Promise<void> {
	const { body } = await visitor.ask('POST', '/device/pair', {
		code,
		name: 'Phone',
		platform: 'web',
	});
	const token = body['token'] as string;
	const endpoint = `${hook}/push/subscription-secret`;
	visitor.knows(token, 'subscription-secret');
	const phone = (method: string, path: string, content?: unknown) =>
		visitor.ask(method, `/device${path}`, content, { authorization: `Bearer ${token}` });
	const { keys } = SUBSCRIPTION;
	visitor.knows(keys.p256dh, keys.auth);
	await phone('PUT', '/tokens', { push_subscription: { endpoint, keys } });
	// With the page closed it goes to the push service, which refuses it; with the page open it does not.
	const push = {
		title: 'T',
		actions: [{ title: 'Go', type: 'webhook', url: `${hook}/hook-secret` }],
	};
	const send = () =>
		visitor.ask('POST', '/api/push-notification', push, { authorization: `Bearer ${key}` });
	await send();
	const events = await followEvents(url, token);
	await send();
	const [delivery] = await events.waitForDeliveries(1);
	await events.close();
	await phone('POST', '/taps', {
		tap_id: '5a3c9a50-37d8-4a53-8c3c-9b8d8b1a2c11',
		delivery_id: delivery.id,
		action: 0,
	});
	await phone('GET', '/events?token=query-secret');
	await phone('GET', '/snapshot');
	await phone('POST', '/dismissals', { delivery_id: delivery.id });
}

async function useConsole(visitor: SignedIn, setup: string): Promise<void> {
	const password = 'a long enough password';
	const wrong = 'a wrong but long password';
	const person = { name: 'Olga', email: 'olga@example.com' };
	visitor.knows(password, wrong);
	const console = (
		method: string,
		path: string,
		body?: unknown,
		headers?: Record<string, string>,
	) => visitor.ask(method, `/console/api${path}`, body, headers);
	await console('POST', '/link', { token: setup });
	const joined = await console('POST', '/join', { token: setup, ...person, password });
	expect(joined.status).toBe(200);
	await console('POST', '/login', { email: person.email, password: wrong });
	await console('POST', '/login', { email: person.email, password });
	const csrf = joined.body['csrf_token'] as string;
	const headers = { cookie: joined.cookie, 'x-csrf-token': csrf };
	visitor.knows(joined.cookie.split('=')[1]!, csrf);
	const { body: made } = await console('POST', '/keys', { name: 'second' }, headers);
	const { body: invited } = await console('POST', '/invitations', { role: 'member' }, headers);
	const { body: paired } = await console('POST', '/devices/pair-code', { user: 'Olga' }, headers);
	visitor.knows(made['key'], invited['token'], paired['code']);
	await console('POST', '/link', { token: invited['token'] });
	await console('GET', `/history?token=${invited['token']}`, undefined, headers);
	await console('GET', '/session', undefined, { cookie: `${headers.cookie}x` });
	await console('POST', '/playground/send', { request: 'badge', body: { badge: 1 } }, headers);
}

/** With a key that works and one that does not, in every place that a sender may put it. */
async function useSenders(visitor: SignedIn, account: readonly string[]): Promise<string> {
	await runJson(['channel', 'create', '--slug', 'ops', ...account]);
	const [phone] = await runJson<any[]>(['device', 'list', ...account]);
	await runJson(['channel', 'assign', '--channel', 'ops', '--devices', phone.id, ...account]);
	const create = ['key', 'create', '--name', 'kuma', '--sender', '--channels', 'ops'];
	const { key } = await runJson([...create, ...account]);
	for (const token of [key, `bs_${'w'.repeat(43)}`]) {
		const basic = Buffer.from(`beckon:${token}`).toString('base64');
		const auth = Buffer.from(`Basic ${basic}`).toString('base64url');
		visitor.knows(token, basic, auth);
		const ask = (path: string, body: unknown, headers?: Record<string, string>) =>
			visitor.ask('POST', path, body, headers);
		for (const authorization of [`Bearer ${token}`, `Basic ${basic}`]) {
			await ask('/', { topic: 'ops', message: 'private words' }, { authorization });
			await ask('/alertmanager', { groupKey: 'private words' }, { authorization });
			await ask('/grafana', '{"cut', { authorization });
		}
		await ask(`/ntfy/ops?auth=${auth}`, 'private words');
		await ask(`/nowhere?auth=${auth}`, 'private words');
		await ask(`/gotify/message?token=${token}`, { message: 'private words' });
		await ask('/gotify/message', 'private words', { 'x-gotify-key': token });
	}
	return key as string;
}

/** Breaks the store: its errors are logged together with their causes. */
async function breakStore(
	visitor: SignedIn,
	directory: string,
	key: string,
	senderKey: string,
): Promise<void> {
	const database = new SqliteDatabase(join(directory, 'beckon.db'));
	database.exec(
		"create trigger full before insert on history begin select raise(abort, 'full'); end",
	);
	database.close();
	const { status } = await visitor.ask(
		'POST',
		'/api/push-notification?token=query-secret',
		{ title: 'Deploy', message: 'private words' },
		{ authorization: `Bearer ${key}` },
	);
	expect(status).toBe(500);
	const path = `/gotify/message?token=${senderKey}`;
	expect((await visitor.ask('POST', path, { message: 'private words' })).status).toBe(500);
}
