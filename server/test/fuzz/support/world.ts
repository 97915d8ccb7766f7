import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../../src/config.ts';
import { pushRequest } from '../../../src/contract/push.ts';
import { createApp } from '../../../src/http/app.ts';
import { createContext } from '../../../src/assembly.ts';
import {
	changeAccount,
	createAccount,
	findAccount,
} from '../../../src/service/accounts/accounts.ts';
import { createPairCode, pair, requireDeviceByToken } from '../../../src/service/phones/pairing.ts';
import { type ActingContext, COMMAND_LINE } from '../../../src/service/audit.ts';
import { createApiKey, findCallerByKey } from '../../../src/service/keys-and-channels/api-keys.ts';
import { assignToChannel, createChannel } from '../../../src/service/keys-and-channels/channels.ts';
import { createSetupLink, join } from '../../../src/service/people/join.ts';
import { deriveCsrfToken, findSignedIn } from '../../../src/service/people/sessions.ts';
import { createMetric } from '../../../src/service/metrics.ts';
import { Refusal } from '../../../src/service/refusal.ts';
import { newId } from '../../../src/service/secrets.ts';
import { sendPush } from '../../../src/service/sending/pushes.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { type OpenApi, readOpenApi } from '../../support/openapi.ts';
import { type ServerProcess, startProcess } from '../../support/process.ts';
import { type Route, routesOf } from '../../support/routes.ts';
import { UNLIMITED } from '../../support/samples.ts';
import { waitFor, within } from '../../support/wait.ts';

/** Credentials that the server accepts. */
export interface Credentials {
	key: string;
	senderKey: string;
	phones: string[];
	session: { cookie: string; csrf: string };
}

export interface World {
	routes: Route[];
	openApi: OpenApi;
	server: ServerProcess;
	port: number;
	credentials: Credentials;
	/**
	 * Renews credentials that requests have revoked, disconnected, signed out or used up. Concurrent calls
	 * share one run.
	 */
	restore(): Promise<void>;
	/** Bytes of the server's heap in use after a garbage collection. */
	heap(): Promise<number>;
	close(): Promise<void>;
}

const ACCOUNT = 'acme';

/** An owner who has joined, to allow sign-ins: no random password matches a real one. */
export const OWNER = { email: 'fuzz@example.com', password: 'a long enough password' };

const REPORTER = pathToFileURL(joinPath(import.meta.dirname, 'report-memory.ts')).href;

/** The real server in its own process, with an account that has one of everything. */
export async function createWorld(): Promise<World> {
	const directory = temporaryDirectory();
	const memory = joinPath(directory.path, 'memory');
	const settings = {
		...UNLIMITED,
		// Allows requests from many addresses.
		BECKON_TRUSTED_PROXIES: '127.0.0.0/8',
		BECKON_FIRST_ATTEMPT_MS: '200',
		// Without it nobody could load a picture.
		BECKON_PUBLIC_URL: 'https://beckon.example.com',
		BECKON_LOG_LEVEL: 'error',
	};
	const config = readConfig({ BECKON_DATA: directory.path, ...settings });
	const database = await openDatabase({ directory: directory.path, url: '' });
	const context = {
		...createContext({
			config,
			database,
			onError: (error, what) => {
				throw new Error(`${what} failed`, { cause: error });
			},
		}),
		actor: COMMAND_LINE,
	};
	const { account } = await createAccount(context, {
		name: ACCOUNT,
		owner: 'owner@example.com',
		plan: 'paid',
	});

	let openApi: OpenApi | undefined;
	const all = await routesOf(async () => {
		const app = await createApp(context, config, false);
		await app.ready();
		openApi = await readOpenApi(app);
		await app.close();
	});
	// The first waits for a person, for longer than the test; the others are always refused.
	const routes = all.filter(
		({ method, url }) => url !== '/agent-hook' && (url !== '/mcp' || method === 'POST'),
	);
	const server = await startProcess(directory.path, {
		settings: { ...settings, MEMORY_REPORT: memory },
		nodeOptions: ['--expose-gc', '--import', REPORTER],
	});
	const credentials: Credentials = {
		key: '',
		senderKey: '',
		phones: [],
		session: { cookie: '', csrf: '' },
	};
	let restoring: Promise<void> | undefined;
	const restoreAll = async () => {
		const found = await findAccount(context, account.id);
		await changeAccount(context, found, { plan: 'paid', quota: null, overage_cap: null });
		// A request under way may delete what was just made.
		for (let attempts = 5; ; attempts -= 1) {
			try {
				await restore(context, account.id, credentials);
				break;
			} catch (error) {
				if (attempts === 1 || !(error instanceof Refusal && error.kind === 'not_found'))
					throw error;
			}
		}
		restoring = undefined;
	};
	const world: World = {
		routes,
		openApi: openApi!,
		server,
		port: Number(new URL(server.url).port),
		credentials,
		restore: () => (restoring ??= restoreAll()),
		async heap() {
			rmSync(memory, { force: true });
			server.signal('SIGUSR2');
			return waitFor('the report of the memory', () => {
				const text = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
				return text.endsWith('\n') && Number(text);
			});
		},
		async close() {
			server.signal('SIGTERM');
			await within('the end of the server', server.finished);
			await context.outbox.stop();
			await database.close();
			directory.remove();
		},
	};
	await world.restore();
	return world;
}

const PUSH_WITH_BUTTON = pushRequest.parse({
	title: 'Disk full',
	actions: [{ title: 'Look', type: 'open_url', url: 'https://example.com/disk' }],
});

function isThere(error: unknown): void {
	if (!(error instanceof Refusal && error.kind === 'conflict')) throw error;
}

/** A request under way may have changed the plan, or deleted the phones. */
function isRefused(error: unknown): void {
	if (!(error instanceof Refusal)) throw error;
}

async function restore(
	context: ActingContext,
	accountId: string,
	credentials: Credentials,
): Promise<void> {
	await createChannel(context, accountId, { slug: 'ops' }).catch(isThere);
	await createMetric(context, accountId, { key: 'cpu', name: 'CPU', format: 'percent' }).catch(
		isThere,
	);

	if (!(await findCallerByKey(context, credentials.key)))
		({ key: credentials.key } = await createApiKey(context, accountId, { name: 'fuzz' }));
	if (!(await findCallerByKey(context, credentials.senderKey, 'sender'))) {
		const options = { name: 'fuzz', sender: true, channels: ['ops'] };
		({ key: credentials.senderKey } = await createApiKey(context, accountId, options));
	}

	for (const [index, platform] of (['web', 'ios'] as const).entries()) {
		const isPaired = await requireDeviceByToken(context, credentials.phones[index] ?? '').then(
			() => true,
			() => false,
		);
		if (isPaired) continue;
		const { code } = await createPairCode(context, accountId);
		const { token, device } = await pair(context, { code, name: `Phone ${platform}`, platform });
		await assignToChannel(context, accountId, { slug: 'ops', users: [], devices: [device.id] });
		credentials.phones[index] = token;
	}

	// Random pushes seldom have a button that may be sent, and a phone that has paired again has none.
	const caller = await findCallerByKey(context, credentials.key);
	if (caller) await sendPush(context, caller, PUSH_WITH_BUTTON).catch(isRefused);

	const session = credentials.session.cookie.split('=')[1] ?? '';
	const visitor = await findSignedIn(context, session);
	if (visitor?.role !== 'owner') {
		const token = await join(context, {
			token: await createSetupLink(context, await findAccount(context, accountId)),
			// Requests may have given any earlier name to somebody else.
			name: `Fuzz ${newId('mbr')}`,
			...OWNER,
		});
		credentials.session = { cookie: `beckon_session=${token}`, csrf: deriveCsrfToken(token) };
	}
}
