import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toForm, toApnsNotification } from '../../src/delivery/apns/notification.ts';
import { ProviderToken } from '../../src/delivery/apns/provider-token.ts';
import { bareApns, inParallel, tokenOf } from './bare.ts';
import { compare, deliveryTo, DEVICES, type Rate, wholeWay } from './compare.ts';
import { openBenchServer } from './bench-server.ts';
import type { Services } from './services.ts';

/** Concurrent requests, the same as the gateway's. */
const OPEN = 1_000;

export async function measureApns(services: Services): Promise<Rate[]> {
	const server = await openBenchServer(services.settings, DEVICES);
	const { settings } = services;
	const { apns } = server.gateways;
	if (!apns) throw new Error('The settings of APNs are missing');
	const token = new ProviderToken(
		{
			key: createPrivateKey(readFileSync(settings['BECKON_APNS_KEY_FILE'] ?? '')),
			keyId: settings['BECKON_APNS_KEY_ID'] ?? '',
			teamId: settings['BECKON_APNS_TEAM_ID'] ?? '',
		},
		Date.now,
	);
	const app = {
		bundleId: settings['BECKON_APNS_BUNDLE_ID'] ?? '',
		activityType: 'Activity',
		linkKeyOf: String,
	};
	const { headers, payload } = toApnsNotification(toForm(deliveryTo(0), app), 1, tokenOf(0));
	const bare = await bareApns(
		settings['BECKON_APNS_URL'] ?? '',
		readFileSync(settings['BECKON_APNS_CA_FILE'] ?? '', 'utf8'),
		['authorization', token.authorization(), ...headers],
		payload,
	);
	const rates = await compare([
		{
			name: 'bare `node:http2`, one text for all',
			measure: () => services.rate(DEVICES, () => inParallel(DEVICES, OPEN, bare.send)),
			isBare: true,
		},
		{
			name: 'the same, headers in a list',
			measure: () => services.rate(DEVICES, () => inParallel(DEVICES, OPEN, bare.sendListed)),
		},
		{
			name: 'the gateway alone',
			measure: () =>
				services.rate(DEVICES, () =>
					inParallel(DEVICES, OPEN, (index) => apns.deliver(deliveryTo(index))),
				),
		},
		wholeWay(services, server),
	]);
	bare.close();
	await server.close();
	return rates;
}
