import type { MetricRequest } from '../../contract/console/resources.ts';
import { accountByName } from '../../store/accounts/accounts.ts';
import { channelsBySlug } from '../../store/phones/channels.ts';
import { metricByKey } from '../../store/metrics/metrics.ts';
import { createAccount, createPairCode, listAccountUsers } from './accounts.ts';
import { createApiKey } from './api-keys.ts';
import type { ActingContext } from './audit.ts';
import { assignToChannel, createChannel } from './channels.ts';
import { pair } from '../phones/pairing.ts';
import { createMetric } from '../metrics/metrics.ts';

const ACCOUNT = 'demo';
const CHANNELS = ['ops', 'sales'];
const METRICS: MetricRequest[] = [
	{ key: 'revenue.today', name: 'Revenue today', format: 'currency', unit: 'EUR' },
	{ key: 'cpu.load', name: 'CPU load', format: 'percent' },
	{ key: 'build.status', name: 'Build', format: 'string' },
];

export interface Demo {
	account: string;
	key: string;
	device_id: string;
	device_token: string;
	pair_code: string;
	channels: string[];
	metrics: string[];
}

/**
 * Creates an account for trying everything out. Can be repeated: existing data stays, and a new key, phone
 * and pairing code are added because the earlier ones cannot be shown again.
 */
export async function seedDemo(context: ActingContext): Promise<Demo> {
	const { read } = context.database;
	const account =
		(await accountByName(read, ACCOUNT)) ??
		(await createAccount(context, { name: ACCOUNT, owner: 'owner@example.com', plan: 'paid' }))
			.account;
	const [owner] = await listAccountUsers(context, account.id);
	for (const slug of CHANNELS) {
		if ((await channelsBySlug(read, account.id, [slug])).length > 0) continue;
		await createChannel(context, account.id, { slug });
		await assignToChannel(context, account.id, {
			slug,
			users: owner ? [owner.name] : [],
			devices: [],
		});
	}
	for (const metric of METRICS) {
		if (!(await metricByKey(read, account.id, metric.key)))
			await createMetric(context, account.id, metric);
	}
	const { code } = await createPairCode(context, account.id);
	const phone = await pair(context, { code, name: 'Demo phone', platform: 'web' });
	return {
		account: ACCOUNT,
		key: (await createApiKey(context, account.id, { name: 'demo' })).key,
		device_id: phone.device.id,
		device_token: phone.token,
		pair_code: (await createPairCode(context, account.id)).code,
		channels: CHANNELS,
		metrics: METRICS.map(({ key }) => key),
	};
}
