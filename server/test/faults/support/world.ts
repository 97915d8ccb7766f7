import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { createContext } from '../../../src/assembly.ts';
import { createAccount } from '../../../src/service/accounts/accounts.ts';
import { createPairCode, pair, requireDeviceByToken } from '../../../src/service/phones/pairing.ts';
import { createApiKey } from '../../../src/service/keys-and-channels/api-keys.ts';
import { COMMAND_LINE } from '../../../src/service/audit.ts';
import { registerTokens } from '../../../src/service/phones/push-tokens.ts';
import type { Platform } from '../../../src/contract/device.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { errorCode } from '../../../src/store/errors.ts';
import type { Db } from '../../../src/store/schema.ts';
import { ApnsStandIn, type Taken } from '../../gateways/support/apns.ts';
import { PushService } from '../../gateways/support/push-service.ts';
import { type ServerProcess, startProcess } from '../../support/process.ts';
import { UNLIMITED } from '../../support/samples.ts';

/** An event of one activity on a phone, in order of arrival. */
interface ActivityTrace {
	event: string;
	percentage: number;
}

/** A phone as its owner sees it: everything that its push service brought. */
class Phone {
	readonly pushes: string[] = [];
	/** The button that answered a push, by the push's title. */
	readonly answers = new Map<string, string>();
	/** iPhones only: on a closed browser, a badge arrives with the next notification. */
	readonly badges: number[] = [];
	readonly activities = new Map<string, ActivityTrace[]>();
	readonly name: string;
	readonly platform: Platform;
	readonly token: string;

	constructor(name: string, platform: Platform, token: string) {
		this.name = name;
		this.platform = platform;
		this.token = token;
	}

	trace(activityId: string, entry: ActivityTrace): void {
		this.activities.set(activityId, [...(this.activities.get(activityId) ?? []), entry]);
	}
}

export interface World {
	apns: ApnsStandIn;
	pushService: PushService;
	phones: Phone[];
	key: string;
	/** Address for the next request. */
	readonly url: string;
	server: ServerProcess | undefined;
	/** Starts the server and stores it in `server`. */
	start(): Promise<void>;
	/** Starts another on the same store; the caller ends it. */
	startAnother(): Promise<ServerProcess>;
	database: Database;
	accountId: string;
	/** Number of unsettled deliveries, and of changes waiting for an activity's token. */
	pending(): Promise<number>;
	/** True once closed; then its phones stop retrying. */
	isClosed: boolean;
	/**
	 * Ends the waits between attempts, which take minutes after many faults. Does nothing while the store
	 * takes no write; the caller repeats it.
	 */
	endWaits(): Promise<void>;
	close(): Promise<void>;
}

const hex = (text: string) => Buffer.from(text).toString('hex');

export interface WorldOptions {
	settings?: Record<string, string>;
	/** A PostgreSQL database instead of the embedded store. */
	databaseUrl?: string;
	/** Address for the next request, instead of the one server's. */
	address?: () => string;
}

/** The real server in its own process, with iPhones and closed browsers on local push services. */
export async function createWorld(
	iphones: number,
	browsers: number,
	{ settings: special = {}, databaseUrl = '', address }: WorldOptions = {},
): Promise<World> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-faults-'));
	const apns = new ApnsStandIn();
	const pushService = new PushService();
	await Promise.all([apns.listen(), pushService.listen()]);
	const settings = {
		...UNLIMITED,
		...apns.settings(directory),
		BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
		BECKON_LOG_LEVEL: 'error',
		BECKON_DATABASE_URL: databaseUrl,
		...special,
	};
	const database = await openDatabase({ directory, url: databaseUrl });
	const context = {
		...createContext({
			config: readConfig({ BECKON_DATA: directory, ...settings }),
			database,
			onError: (error) => {
				throw error;
			},
		}),
		actor: COMMAND_LINE,
	};
	const { account } = await createAccount(context, {
		name: 'acme',
		owner: 'owner@example.com',
		plan: 'paid',
	});
	const { key } = await createApiKey(context, account.id, { name: 'test' });
	const phones: Phone[] = [];
	const byAddress = new Map<string, Phone>();
	for (let n = 0; n < iphones + browsers; n += 1) {
		const platform = n < iphones ? 'ios' : 'web';
		const name = `${platform}-${n}`;
		const { code } = await createPairCode(context, account.id, 'owner');
		const { token } = await pair(context, { code, name, platform });
		const device = await requireDeviceByToken(context, token);
		const phone = new Phone(name, platform, token);
		await registerTokens(
			context,
			device,
			platform === 'ios'
				? { push_token: hex(`${name}.device`), push_to_start_token: hex(`${name}.start`) }
				: { push_subscription: pushService.subscribe(name) },
		);
		phones.push(phone);
		byAddress.set(name, phone);
	}

	const world: World = {
		apns,
		pushService,
		phones,
		key,
		database,
		accountId: account.id,
		get url() {
			return address?.() ?? world.server?.url ?? '';
		},
		server: undefined,
		isClosed: false,
		async start() {
			world.server = await world.startAnother();
		},
		startAnother: () => startProcess(directory, { settings }),
		async pending() {
			// In one statement: a token's arrival makes a delivery of the change that waited for it.
			const { deliveries, queued } = await database.read
				.selectNoFrom(({ selectFrom }) => [
					selectFrom('deliveries')
						.select(({ fn }) => fn.countAll<number>().as('count'))
						.where('state', '=', 'pending')
						.as('deliveries'),
					selectFrom('activity_devices')
						.select(({ fn }) => fn.countAll<number>().as('count'))
						.where('queued_message_id', 'is not', null)
						.as('queued'),
				])
				.executeTakeFirstOrThrow();
			return Number(deliveries) + Number(queued);
		},
		async endWaits() {
			const endWaits = (db: Db) =>
				db
					.updateTable('deliveries')
					.set({ next_attempt_at: Date.now() })
					.where('state', '=', 'pending')
					.where('leased_until', 'is', null)
					.execute();
			try {
				await database.write(null, endWaits);
			} catch (error) {
				// The server holds the file while a slow disk completes its writes.
				if (errorCode(error) !== 'SQLITE_BUSY') throw error;
			}
		},
		async close() {
			world.isClosed = true;
			world.server?.signal('SIGKILL');
			await world.server?.finished;
			await Promise.all([apns.close(), pushService.close()]);
			await database.close();
			rmSync(directory, { recursive: true });
		},
	};
	apns.onTaken = (request) => showApns(world, byAddress, request);
	pushService.onReceived = ({ id, message }) => {
		const phone = byAddress.get(id);
		if (phone) show(phone, message.notification.data);
	};
	return world;
}

/** An iPhone's token names the phone; the app answers a start with the activity's token. */
function showApns(world: World, phones: Map<string, Phone>, { token, payload }: Taken): void {
	const [name = '', what = ''] = Buffer.from(token, 'hex').toString().split('.');
	const phone = phones.get(name);
	if (!phone) throw new Error(`APNs was given the unknown token ${token}`);
	const { aps } = payload;
	if (what === 'device') {
		if (payload.beckon?.answer) phone.answers.set(aps.alert.title, payload.beckon.answer.button);
		else if (aps.alert) phone.pushes.push(aps.alert.title);
		if (aps.badge !== undefined) phone.badges.push(aps.badge);
		return;
	}
	const activityId = what === 'start' ? aps.attributes.activity_id : what;
	phone.trace(activityId, { event: aps.event, percentage: aps['content-state'].percentage });
	if (what === 'start') void registerActivity(world, phone, activityId);
}

async function registerActivity(world: World, phone: Phone, activityId: string): Promise<void> {
	while (!world.isClosed) {
		try {
			const answer = await fetch(`${world.url}/device/activities/${activityId}/token`, {
				method: 'PUT',
				headers: { authorization: `Bearer ${phone.token}`, 'content-type': 'application/json' },
				body: JSON.stringify({ token: hex(`${phone.name}.${activityId}`) }),
			});
			if (answer.ok) return;
		} catch {
			// The server is down; the app tries again, as docs/device-protocol.md says.
		}
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}

function show(phone: Phone, message: any): void {
	if (message.kind === 'push') phone.pushes.push(message.push.title);
	else if (message.kind === 'push_update') {
		phone.answers.set(message.push.title, message.push.answer.button);
	} else {
		phone.trace(message.activity.activity_id, {
			event: message.kind.replace('activity_', ''),
			percentage: message.activity.content_state.percentage,
		});
	}
}
