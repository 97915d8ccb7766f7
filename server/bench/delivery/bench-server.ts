import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../../src/config.ts';
import { createContext, openGateways } from '../../src/assembly.ts';
import type { Gateways } from '../../src/delivery/choose-gateway.ts';
import { createAccount } from '../../src/service/accounts/accounts.ts';
import { createPairCode, pair } from '../../src/service/phones/pairing.ts';
import { createApiKey } from '../../src/service/keys-and-channels/api-keys.ts';
import { type ActingContext, COMMAND_LINE } from '../../src/service/audit.ts';
import type { Caller, Context } from '../../src/service/context.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newId } from '../../src/service/secrets.ts';
import { tokenOf } from './bare.ts';
import type { Subscription } from './services.ts';

export interface BenchServer {
	directory: string;
	config: Config;
	context: Context;
	gateways: Gateways;
	caller: Caller;
	key: string;
	close(): Promise<void>;
}

/** Store, outbox and gateways in this process, with an account of `devices` devices. */
export async function openBenchServer(
	settings: Record<string, string>,
	devices: number,
	subscription?: Subscription,
): Promise<BenchServer> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
	const config = readConfig({
		BECKON_DATA: directory,
		BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
		BECKON_FIRST_ATTEMPT_MS: '60000',
		...settings,
	});
	const database = await openDatabase({ directory, url: '' });
	const gateways = openGateways(config, database);
	const onError = (error: unknown) => {
		throw error;
	};
	const context = {
		...createContext({ config, database, gateways, onError }),
		actor: COMMAND_LINE,
	};
	const { account } = await createAccount(context, {
		name: 'bench',
		owner: 'owner@example.com',
		plan: 'paid',
	});
	const { key } = await createApiKey(context, account.id, { name: 'bench' });
	await addDevices(context, account.id, devices, subscription);
	return {
		directory,
		config,
		context,
		gateways,
		key,
		caller: { accountId: account.id, keyId: null, channels: null },
		async close() {
			await context.outbox.stop();
			gateways.apns?.close();
			gateways.webPush.close();
			await database.close();
			rmSync(directory, { recursive: true });
		},
	};
}

/** Copies one paired phone: pairing ten thousand would measure pairing. */
async function addDevices(
	context: ActingContext,
	accountId: string,
	count: number,
	subscription: Subscription | undefined,
): Promise<void> {
	const { code } = await createPairCode(context, accountId, 'owner');
	const platform = subscription ? 'web' : 'ios';
	const { device } = await pair(context, { code, name: 'Phone', platform });
	await context.database.write(null, async (db) => {
		const row = await db
			.selectFrom('devices')
			.selectAll()
			.where('id', '=', device.id)
			.executeTakeFirstOrThrow();
		await db.deleteFrom('devices').where('id', '=', device.id).execute();
		for (let index = 0; index < count; index += 1) {
			await db
				.insertInto('devices')
				.values({
					...row,
					id: newId('dev'),
					token_hash: `${row.token_hash}-${index}`,
					...(subscription
						? { push_subscription_json: JSON.stringify(subscription) }
						: { push_token: tokenOf(index) }),
				})
				.execute();
		}
	});
}
