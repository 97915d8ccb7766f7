import type { MetricRequest } from '../../src/contract/console/resources.ts';
import { createPairCode, pair } from '../../src/service/phones/pairing.ts';
import { createAccount } from '../../src/service/accounts/accounts.ts';
import { createApiKey } from '../../src/service/keys-and-channels/api-keys.ts';
import type { ActingContext } from '../../src/service/audit.ts';
import { assignToChannel, createChannel } from '../../src/service/keys-and-channels/channels.ts';
import { createMetric } from '../../src/service/metrics.ts';
import type { Seed } from './seeded.ts';

const METRICS: MetricRequest[] = [
	{ key: 'revenue.today', name: 'Revenue today', format: 'currency', unit: 'EUR' },
	{ key: 'cpu.load', name: 'CPU load', format: 'percent' },
	{ key: 'build.status', name: 'Build', format: 'string' },
];

/** Makes the account `demo`: a key, a phone, a code for another, the channels `ops` and `sales`, metrics. */
export async function seed(context: ActingContext): Promise<Seed> {
	const created = { name: 'demo', owner: 'owner@example.com', plan: 'paid' } as const;
	const { account, user } = await createAccount(context, created);
	for (const slug of ['ops', 'sales']) {
		await createChannel(context, account.id, { slug });
		await assignToChannel(context, account.id, { slug, users: [user.name], devices: [] });
	}
	for (const metric of METRICS) await createMetric(context, account.id, metric);
	const { code } = await createPairCode(context, account.id);
	const phone = await pair(context, { code, name: 'Demo phone', platform: 'web' });
	return {
		key: (await createApiKey(context, account.id, { name: 'demo' })).key,
		device_id: phone.device.id,
		device_token: phone.token,
		pair_code: (await createPairCode(context, account.id)).code,
		metrics: METRICS.map(({ key }) => key),
	};
}
