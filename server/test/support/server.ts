import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { readConfig, storeOf } from '../../src/config.ts';
import type { Gateway } from '../../src/delivery/gateway.ts';
import type { App } from '../../src/http/app.ts';
import { createApp, createContext, followOthers } from '../../src/server.ts';
import { createAccount, createPairCode } from '../../src/service/accounts.ts';
import { createApiKey } from '../../src/service/api-keys.ts';
import { assignToChannel, createChannel } from '../../src/service/channels.ts';
import type { Context } from '../../src/service/context.ts';
import { openDatabase, type StoreLocation } from '../../src/store/open.ts';
import { createAnswerCheck, readOpenApi } from './openapi.ts';
import { removeStore, storeSettings } from './store.ts';

interface Clock {
	/** Milliseconds since 1970; set it to whatever the test needs. */
	now: number;
	advance(seconds: number): void;
}

export interface Answer<T = Record<string, any>> {
	status: number;
	body: T;
	headers: LightMyRequestResponse['headers'];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

export interface TestServer {
	/** Where its data is, for another that opens it too. */
	store: StoreLocation;
	app: App;
	context: Context;
	clock: Clock;
	/** The first account, its key that reaches every device, and its owner's paired browser. */
	account: TestAccount;
	phone: TestPhone;
	/** A call of the public API with the first account's key; holds the answer against the OpenAPI. */
	call(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
	addAccount(options?: { name?: string; plan?: 'paid' | 'trial' }): Promise<TestAccount>;
	addKey(accountId: string, channels?: string[]): Promise<string>;
	addChannel(slug: string, members?: { users?: string[]; devices?: string[] }): Promise<void>;
	pairPhone(options?: PairOptions): Promise<TestPhone>;
	close(): Promise<void>;
}

export interface CallOptions {
	key?: string | null;
	headers?: Record<string, string>;
	/** Client address as the server sees it. */
	from?: string;
}

export interface TestAccount {
	id: string;
	name: string;
	key: string;
}

interface PairOptions {
	account?: string;
	user?: string;
	name?: string;
	platform?: 'web' | 'ios';
}

export interface TestPhone {
	id: string;
	token: string;
	/** A call of the device protocol by this phone. */
	call(method: Method, path: string, body?: unknown): Promise<Answer>;
	/** Everything in its inbox. */
	inbox(): Promise<any[]>;
	snapshot(): Promise<any>;
}

export interface TestServerOptions {
	/** BECKON_ settings that differ from the defaults. */
	settings?: Record<string, string>;
	gateway?: (inbox: Gateway) => Gateway;
	/** An existing data directory, to go on where another server stopped. */
	directory?: string;
	/** A server that runs on the same data, with the same clock, account and phone. */
	beside?: TestServer;
	/** Looks again at what another server on the same data changes, as a started one does. */
	followsOthers?: boolean;
	/** What to do with what goes wrong in the background; otherwise the test fails. */
	onError?: (error: unknown, what: string) => void;
}

function unexpected(error: unknown, what: string): never {
	throw new Error(`${what} failed`, { cause: error });
}

/** The real server on a real database in a temporary folder, injected into, with a clock that tests move. */
export async function startTestServer({
	settings = {},
	gateway,
	directory,
	beside,
	followsOthers = false,
	onError = unexpected,
}: TestServerOptions = {}): Promise<TestServer> {
	const data = beside?.store.directory ?? directory ?? mkdtempSync(join(tmpdir(), 'beckon-test-'));
	const clock: Clock = beside?.clock ?? {
		now: Date.parse('2026-03-01T12:00:00Z'),
		advance(seconds) {
			clock.now += seconds * 1_000;
		},
	};
	const config = readConfig({
		...(await storeSettings(data)),
		BECKON_FIRST_ATTEMPT_MS: '200',
		...settings,
	});
	const database = await openDatabase(storeOf(config), { onError });
	const context = createContext({
		config,
		database,
		now: () => clock.now,
		onError,
		...(gateway && { gateway }),
	});
	const stopFollowing = followsOthers ? followOthers(context) : () => undefined;
	const app = await createApp(context, config, false);
	await app.ready();
	const checkAnswer = createAnswerCheck(await readOpenApi(app));

	const inject = async (
		method: Method,
		url: string,
		body: unknown,
		headers: Record<string, string>,
		from = '127.0.0.1',
	): Promise<Answer> => {
		const isRaw = typeof body === 'string' || body === undefined;
		const response = await app.inject({
			method,
			url,
			remoteAddress: from,
			headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
			...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
		});
		const isJson = String(response.headers['content-type']).startsWith('application/json');
		return {
			status: response.statusCode,
			body: (isJson ? response.json() : response.body) as Answer['body'],
			headers: response.headers,
		};
	};

	const phoneOf = (id: string, token: string): TestPhone => {
		const call: TestPhone['call'] = (method, path, payload) =>
			inject(method, `/device${path}`, payload, { authorization: `Bearer ${token}` });
		return {
			id,
			token,
			call,
			inbox: async () => (await call('GET', '/inbox?limit=500')).body.deliveries,
			snapshot: async () => (await call('GET', '/snapshot')).body,
		};
	};

	const server: Omit<TestServer, 'account' | 'phone'> &
		Partial<Pick<TestServer, 'account' | 'phone'>> = {
		store: storeOf(config),
		app,
		context,
		clock,
		async call(method, path, body, { key, headers = {}, from } = {}) {
			const token = key === undefined ? server.account?.key : key;
			const answer = await inject(
				method,
				`/api${path}`,
				body,
				{ ...(token && { authorization: `Bearer ${token}` }), ...headers },
				from,
			);
			checkAnswer(method, path, answer);
			return answer;
		},
		async addAccount({ name = `account-${Math.random()}`, plan = 'paid' } = {}) {
			const { account } = await createAccount(context, { name, owner: 'owner@example.com', plan });
			const { key } = await createApiKey(context, account.id, { name: 'test' });
			return { id: account.id, name, key };
		},
		async addKey(accountId, channels) {
			return (await createApiKey(context, accountId, { name: 'test', channels })).key;
		},
		async addChannel(slug, { users = [], devices = [] } = {}) {
			const { id } = server.account!;
			await createChannel(context, id, { slug });
			await assignToChannel(context, id, { slug, users, devices });
		},
		async pairPhone({
			account = server.account!.id,
			user = 'owner',
			name = 'Phone',
			platform = 'web',
		} = {}) {
			const { code } = await createPairCode(context, account, user);
			const { status, body } = await inject('POST', '/device/pair', { code, name, platform }, {});
			if (status !== 200) throw new Error(`Pairing answered ${status}: ${JSON.stringify(body)}`);
			return phoneOf(body.device.id, body.token);
		},
		async close() {
			stopFollowing();
			await app.close();
			await context.outbox.stop();
			await database.close();
			if (directory ?? beside) return;
			rmSync(data, { recursive: true });
			await removeStore(data);
		},
	};
	if (beside) {
		server.account = beside.account;
		server.phone = phoneOf(beside.phone.id, beside.phone.token);
	}
	if (directory ?? beside) return server as TestServer;
	server.account = await server.addAccount({ name: 'acme' });
	server.phone = await server.pairPhone();
	return server as TestServer;
}
