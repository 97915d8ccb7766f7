import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { readConfig, toStoreLocation } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { createContext } from '../../src/assembly.ts';
import { followOthers } from '../../src/server.ts';
import { createAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { createPairCode } from '../../src/service/phones/pairing.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../../src/service/keys-and-channels/api-keys.ts';
import { assignToChannel, createChannel } from '../../src/service/keys-and-channels/channels.ts';
import { createSetupLink } from '../../src/service/people/join.ts';
import { Passwords } from '../../src/service/people/passwords.ts';
import { type ActingContext, COMMAND_LINE } from '../../src/service/audit.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { openDatabase } from '../../src/store/open.ts';
import { PREPARED } from './prepared.ts';
import {
	type Access,
	type Clock,
	reach,
	type TestServer,
	type TestServerOptions,
} from './reach.ts';
import { putMigratedStore } from './migrated.ts';
import { isOnPostgres, removeStore, storeSettings } from './store.ts';

export type {
	Answer,
	CallOptions,
	Method,
	TestAccount,
	TestPhone,
	TestServer,
	TestServerOptions,
} from './reach.ts';

/** A hash of the real cost takes a third of a second of one core. */
const CHEAP_HASH = { N: 2 ** 10, r: 8, p: 1 };

function unexpected(error: unknown, what: string): never {
	throw new Error(`${what} failed`, { cause: error });
}

/**
 * The real server on a real database in a temporary folder, with injected requests and a clock that tests
 * move. In a run on the packed program (scripts/test-dist.ts): that program, as a process.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
	if (PREPARED === undefined) return startSource(options);
	// Needs Jest, which scripts that start a server from the source do without.
	const { startPackedServer } = await import('./packed.ts');
	return startPackedServer(PREPARED, options);
}

/** Ends all activities on the first account's phone, streams too, to make room for the next start. */
export async function endActivities({ call, phone }: TestServer): Promise<void> {
	for (const { activity_id: id, stream_key: key } of (await phone.snapshot()).activities) {
		if (key === null)
			await call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		else await call('DELETE', `/live-activity/stream/${key}`);
	}
}

async function startSource({
	beside,
	settings = beside?.settings ?? {},
	gateway,
	directory,
	ahead = 0,
	followsOthers = false,
	onError = unexpected,
	logger,
	passwords = new Passwords(CHEAP_HASH),
}: TestServerOptions): Promise<TestServer> {
	const given = beside?.store.directory ?? directory;
	const data = given ?? mkdtempSync(join(tmpdir(), 'beckon-test-'));
	if (given === undefined && !isOnPostgres) await putMigratedStore(data);
	const clock: Clock = beside?.clock ?? {
		now: Date.parse('2026-03-01T12:00:00Z'),
		passed: 0,
		advance(seconds) {
			clock.now += seconds * 1_000;
			clock.passed += seconds * 1_000;
		},
	};
	const config = readConfig({
		...(await storeSettings(data)),
		BECKON_FIRST_ATTEMPT_MS: '200',
		...settings,
	});
	const database = await openDatabase(toStoreLocation(config), { onError });
	const context = {
		...createContext({
			config,
			database,
			now: () => clock.now + ahead,
			elapsed: () => performance.now() + clock.passed,
			onError,
			...(gateway && { gateway }),
			logger,
			passwords,
		}),
		actor: COMMAND_LINE,
	};
	const stopFollowing = followsOthers ? followOthers(context) : () => undefined;
	const app = await createApp(context, config, logger ?? false);
	await app.ready();
	const access = { inject: (request: InjectOptions) => app.inject(request), ...inStore(context) };
	const reached = await reach(access, beside ?? (directory === undefined ? 'new' : 'later'));
	return {
		...reached,
		settings,
		store: toStoreLocation(config),
		app,
		context,
		clock,
		timestamp: (inSeconds = 0) => new Date(clock.now + inSeconds * 1_000).toISOString(),
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

/** Prepares accounts and their belongings in the server's own store. */
function inStore(context: ActingContext): Omit<Access, 'inject'> {
	return {
		async createAccount({ name, plan }) {
			const { account } = await createAccount(context, { name, owner: 'owner@example.com', plan });
			return account.id;
		},
		async createKey(accountId, channels, sender) {
			return (await createApiKey(context, accountId, { name: 'test', channels, sender })).key;
		},
		async revokeKey(accountId, key) {
			const keys = await listAccountApiKeys(context, accountId);
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
