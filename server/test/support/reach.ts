import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Logger } from 'pino';
import type { MetricFormat } from '../../src/contract/metrics.ts';
import type { Gateway } from '../../src/delivery/gateway.ts';
import type { App } from '../../src/http/app.ts';
import type { ActingContext } from '../../src/service/audit.ts';
import type { Passwords } from '../../src/service/people/passwords.ts';
import type { StoreLocation } from '../../src/store/open.ts';
import { type AnswerCheck, createAnswerCheck, readOpenApi } from './openapi.ts';

export interface Clock {
	/** Milliseconds since 1970; set it to any time the test needs. */
	now: number;
	/** Milliseconds that tests let pass. A clock that is set lets none pass. */
	passed: number;
	advance(seconds: number): void;
}

export interface Answer<T = Record<string, any>> {
	status: number;
	body: T;
	headers: LightMyRequestResponse['headers'];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

export interface TestServer {
	/** Its settings that differ from the defaults. */
	settings: Record<string, string>;
	/** The location of its data, for another server that opens it too. */
	store: StoreLocation;
	app: App;
	/** The context as a command uses it. */
	context: ActingContext;
	clock: Clock;
	/** The time this many seconds from now, as the server formats it; on a running clock, any time. */
	timestamp(inSeconds?: number): unknown;
	/** The first account, its key that reaches every device, and its owner's paired browser. */
	account: TestAccount;
	phone: TestPhone;
	/** A call of the public API with the first account's key; checks the answer against the OpenAPI document. */
	call(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
	addAccount(options?: { name?: string; plan?: 'paid' | 'trial' }): Promise<TestAccount>;
	addKey(accountId: string, channels?: string[]): Promise<string>;
	/** A sender key of the first account. */
	addSenderKey(channels: string[]): Promise<string>;
	revokeKey(accountId: string, key: string): Promise<void>;
	addChannel(slug: string, members?: { users?: string[]; devices?: string[] }): Promise<void>;
	/** Adds a metric to the first account, or to another. */
	addMetric(metric: NewMetric, accountId?: string): Promise<void>;
	/** The token of the link that makes one person an owner of the account. */
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
	/** Default: the account's first person. */
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
	/** An existing data directory, to continue after another server. */
	directory?: string | undefined;
	/** A running server whose settings, data, clock, account and phone are shared. */
	beside?: TestServer | undefined;
	/** Milliseconds by which its clock is ahead of the others'. */
	ahead?: number;
	/** Follows changes by other servers on the same data, as a started server does. */
	followsOthers?: boolean;
	/** Gets what a started server logs. */
	logger?: Logger;
	/** Default: hashes at a cost that only a test may have. */
	passwords?: Passwords;
	/** Handles background errors; otherwise they fail the test. */
	onError?: (error: unknown, what: string) => void;
}

/** Reaches and prepares a server: the differences between the source and the packed program. */
export interface Access {
	inject(options: InjectOptions): Promise<LightMyRequestResponse>;
	createAccount(account: { name: string; plan: 'paid' | 'trial' }): Promise<string>;
	createKey(accountId: string, channels: string[] | undefined, sender?: boolean): Promise<string>;
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

type Reached = Omit<
	TestServer,
	'settings' | 'store' | 'app' | 'context' | 'clock' | 'timestamp' | 'close'
>;

/** The first account and its phone, if they exist already. */
export interface First {
	account: TestAccount;
	phone: Pick<TestPhone, 'id' | 'token'>;
}

/** All servers of a run publish the same document, and compiling its schemas takes long. */
let answerCheck: Promise<AnswerCheck> | undefined;

/**
 * A test's operations on a server, however it is reached.
 * @param first `later`: the test creates them itself
 */
export async function reach(access: Access, first: First | 'new' | 'later'): Promise<Reached> {
	const checkAnswer = await (answerCheck ??= readOpenApi(access).then(createAnswerCheck));

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
		addSenderKey: (channels) => access.createKey(server.account!.id, channels, true),
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
