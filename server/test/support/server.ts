import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { readConfig, storeOf } from '../../src/config.ts';
import type { Gateway } from '../../src/delivery/gateway.ts';
import type { App } from '../../src/http/app.ts';
import { createApp, createContext, followOthers } from '../../src/server.ts';
import type { MetricFormat } from '../../src/contract/metrics.ts';
import { createAccount, createPairCode, findAccount } from '../../src/service/accounts.ts';
import { apiKeysOf, createApiKey, revokeKey } from '../../src/service/api-keys.ts';
import { assignToChannel, createChannel } from '../../src/service/channels.ts';
import { createSetupLink } from '../../src/service/console/join.ts';
import { type ActingContext, COMMAND_LINE } from '../../src/service/audit.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { openDatabase, type StoreLocation } from '../../src/store/open.ts';
import { createAnswerCheck, readOpenApi } from './openapi.ts';
import { startPackedServer } from './packed.ts';
import { PREPARED } from './prepared.ts';
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
	/** As a command works with it. */
	context: ActingContext;
	clock: Clock;
	/** The first account, its key that reaches every device, and its owner's paired browser. */
	account: TestAccount;
	phone: TestPhone;
	/** A call of the public API with the first account's key; holds the answer against the OpenAPI. */
	call(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
	addAccount(options?: { name?: string; plan?: 'paid' | 'trial' }): Promise<TestAccount>;
	addKey(accountId: string, channels?: string[]): Promise<string>;
	revokeKey(accountId: string, key: string): Promise<void>;
	addChannel(slug: string, members?: { users?: string[]; devices?: string[] }): Promise<void>;
	/** A metric of the first account, or of another. */
	addMetric(metric: NewMetric, accountId?: string): Promise<void>;
	/** What the link that makes one person an owner of the account holds. */
	setupToken(accountId: string): Promise<string>;
	pairPhone(options?: PairOptions): Promise<TestPhone>;
	close(): Promise<void>;
}

interface NewMetric {
	key: string;
	name?: string;
	format?: MetricFormat;
	unit?: string;
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
	/** Left out: the account's first person. */
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
	directory?: string | undefined;
	/** A server that runs on the same data, with the same clock, account and phone. */
	beside?: TestServer | undefined;
	/** Looks again at what another server on the same data changes, as a started one does. */
	followsOthers?: boolean;
	/** What to do with what goes wrong in the background; otherwise the test fails. */
	onError?: (error: unknown, what: string) => void;
}

function unexpected(error: unknown, what: string): never {
	throw new Error(`${what} failed`, { cause: error });
}

/** How a test reaches a server, and how it prepares one: what differs between the source and the packed program. */
export interface Access {
	inject(options: InjectOptions): Promise<LightMyRequestResponse>;
	createAccount(account: { name: string; plan: 'paid' | 'trial' }): Promise<string>;
	createKey(accountId: string, channels: string[] | undefined): Promise<string>;
	revokeKey(accountId: string, key: string): Promise<void>;
	createChannel(accountId: string, channel: NewChannel): Promise<void>;
	createMetric(accountId: string, metric: NewMetric): Promise<void>;
	createPairCode(accountId: string, user?: string): Promise<string>;
	createSetupToken(accountId: string): Promise<string>;
}

interface NewChannel {
	slug: string;
	users: string[];
	devices: string[];
}

type Reached = Omit<TestServer, 'store' | 'app' | 'context' | 'clock' | 'close'>;

/** The first account and its phone, where they are there already. */
export interface First {
	account: TestAccount;
	phone: Pick<TestPhone, 'id' | 'token'>;
}

/** What a test does with a server, whichever way it is reached. @param first `later`: the test sees to it */
export async function reach(access: Access, first: First | 'new' | 'later'): Promise<Reached> {
	const checkAnswer = createAnswerCheck(await readOpenApi(access));

	const inject = async (
		method: Method,
		url: string,
		body: unknown,
		headers: Record<string, string>,
		from?: string,
	): Promise<Answer> => {
		const isRaw = typeof body === 'string' || body === undefined;
		const response = await access.inject({
			method,
			url,
			...(from !== undefined && { remoteAddress: from }),
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

	const server: Omit<Reached, 'account' | 'phone'> & Partial<Reached> = {
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
			const id = await access.createAccount({ name, plan });
			return { id, name, key: await access.createKey(id, undefined) };
		},
		addKey: (accountId, channels) => access.createKey(accountId, channels),
		revokeKey: (accountId, key) => access.revokeKey(accountId, key),
		addChannel: (slug, { users = [], devices = [] } = {}) =>
			access.createChannel(server.account!.id, { slug, users, devices }),
		addMetric: (metric, accountId = server.account!.id) => access.createMetric(accountId, metric),
		setupToken: (accountId) => access.createSetupToken(accountId),
		async pairPhone({ account = server.account!.id, user, name = 'Phone', platform = 'web' } = {}) {
			const code = await access.createPairCode(account, user);
			const { status, body } = await inject('POST', '/device/pair', { code, name, platform }, {});
			if (status !== 200) throw new Error(`Pairing answered ${status}: ${JSON.stringify(body)}`);
			return phoneOf(body.device.id, body.token);
		},
	};
	if (first === 'new') {
		server.account = await server.addAccount({ name: 'acme' });
		server.phone = await server.pairPhone();
	} else if (first !== 'later') {
		server.account = first.account;
		server.phone = phoneOf(first.phone.id, first.phone.token);
	}
	return server as Reached;
}

/**
 * The real server on a real database in a temporary folder, injected into, with a clock that tests
 * move. In a run on the packed program (scripts/test-dist.ts): that program, as a process.
 */
export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
	return PREPARED === undefined ? startSource(options) : startPackedServer(PREPARED, options);
}

/** Ends what the first account's phone shows, streams too, so that there is room for the next start. */
export async function endActivities({ call, phone }: TestServer): Promise<void> {
	for (const { activity_id: id, stream_key: key } of (await phone.snapshot()).activities) {
		if (key === null)
			await call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		else await call('DELETE', `/live-activity/stream/${key}`);
	}
}

async function startSource({
	settings = {},
	gateway,
	directory,
	beside,
	followsOthers = false,
	onError = unexpected,
}: TestServerOptions): Promise<TestServer> {
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
	const context = {
		...createContext({
			config,
			database,
			now: () => clock.now,
			onError,
			...(gateway && { gateway }),
		}),
		actor: COMMAND_LINE,
	};
	const stopFollowing = followsOthers ? followOthers(context) : () => undefined;
	const app = await createApp(context, config, false);
	await app.ready();
	const access = { inject: (request: InjectOptions) => app.inject(request), ...inStore(context) };
	const reached = await reach(access, beside ?? (directory === undefined ? 'new' : 'later'));
	return {
		...reached,
		store: storeOf(config),
		app,
		context,
		clock,
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
}

/** Prepares accounts and what belongs to them in the server's own store. */
function inStore(context: ActingContext): Omit<Access, 'inject'> {
	return {
		async createAccount({ name, plan }) {
			const { account } = await createAccount(context, { name, owner: 'owner@example.com', plan });
			return account.id;
		},
		async createKey(accountId, channels) {
			return (await createApiKey(context, accountId, { name: 'test', channels })).key;
		},
		async revokeKey(accountId, key) {
			const keys = await apiKeysOf(context, accountId);
			const { id } = keys.find(({ last_four: end }) => key.endsWith(end))!;
			await revokeKey(context, accountId, id);
		},
		async createChannel(accountId, { slug, users, devices }) {
			await createChannel(context, accountId, { slug });
			await assignToChannel(context, accountId, { slug, users, devices });
		},
		async createMetric(accountId, { key, name = key, format = 'number', unit }) {
			await createMetric(context, accountId, { key, name, format, unit });
		},
		async createPairCode(accountId, user) {
			return (await createPairCode(context, accountId, user)).code;
		},
		async createSetupToken(accountId) {
			return createSetupLink(context, await findAccount(context, accountId));
		},
	};
}
