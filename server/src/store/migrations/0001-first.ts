import type { Kysely } from 'kysely';
import { createAccounts } from './first/accounts.ts';
import { createConsole } from './first/console.ts';
import { createDelivery } from './first/delivery.ts';
import { createHistory } from './first/history.ts';
import { createMetrics } from './first/metrics.ts';
import { createPhones } from './first/phones.ts';
import { createRateWindows } from './first/rate-windows.ts';

/** The whole schema of the first release. Tables follow the ones they reference. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createAccounts(db);
	await createPhones(db);
	await createHistory(db);
	await createDelivery(db);
	await createMetrics(db);
	await createConsole(db);
	await createRateWindows(db);
}
