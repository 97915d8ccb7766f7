import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import webPush from 'web-push';
import { notificationOf } from '../../src/delivery/apns/notification.ts';
import { ProviderToken } from '../../src/delivery/apns/provider-token.ts';
import { headersOf, MAX_TEXT_BYTES, textOf } from '../../src/delivery/webpush/message.ts';
import { Vapid, vapidKeysOf } from '../../src/delivery/webpush/vapid.ts';
import { sendPush } from '../../src/service/pushes.ts';
import type { OutgoingDelivery } from '../../src/store/outbox.ts';
import { bareApns, bareWebPush, inParallel, tokenOf } from './bare.ts';
import { type House, openHouse } from './house.ts';
import { measureLatency } from './latency.ts';
import { Services } from './services.ts';

const DEVICES = 10_000;
const ROUNDS = 3;

const PUSH = {
	title: 'New order',
	message: 'Two loaves',
	interruption_level: 'active' as const,
	sound: 'default',
};

function deliveryTo(index: number, subscription?: object): OutgoingDelivery {
	return {
		id: index + 1,
		attempts: 0,
		leasedUntil: Infinity,
		message: {
			id: 1,
			account_id: 'acc',
			activity_id: null,
			kind: 'push',
			content_json: JSON.stringify(PUSH),
			lane: null,
			created_at: Date.now(),
		},
		device: {
			id: `dev-${index}`,
			platform: subscription ? 'web' : 'ios',
			push_token: tokenOf(index),
			push_to_start_token: null,
			push_environment: 'production',
			push_subscription_json: subscription ? JSON.stringify(subscription) : null,
			badge: 0,
		},
		isMuted: false,
	};
}

const median = (values: readonly number[]) =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Takes turns, so that whatever else the machine does meets all of them alike. */
async function compare(name: string, ways: Record<string, () => Promise<number>>): Promise<void> {
	const rates: Record<string, number[]> = {};
	for (let round = 0; round < ROUNDS; round += 1) {
		for (const [way, measure] of Object.entries(ways)) (rates[way] ??= []).push(await measure());
	}
	const bare = median(rates['bare'] ?? []);
	for (const [way, measured] of Object.entries(rates)) {
		const rate = median(measured);
		process.stdout.write(
			`${name.padEnd(9)} ${way.padEnd(36)} ${Math.round(rate).toString().padStart(7)} pushes/s  ${(rate / bare).toFixed(2)} of bare\n`,
		);
	}
}

const wholeWay = (services: Services, house: House) => () =>
	services.rate(DEVICES, () => sendPush(house.context, house.caller, PUSH));

async function measureApns(services: Services): Promise<void> {
	const house = await openHouse(services.settings, DEVICES);
	const { settings } = services;
	const { apns } = house.gateways;
	if (!apns) throw new Error('The settings of APNs are missing');
	const key = createPrivateKey(readFileSync(settings['BECKON_APNS_KEY_FILE'] ?? ''));
	const token = new ProviderToken(
		{
			key,
			keyId: settings['BECKON_APNS_KEY_ID'] ?? '',
			teamId: settings['BECKON_APNS_TEAM_ID'] ?? '',
		},
		Date.now,
	);
	const app = { bundleId: settings['BECKON_APNS_BUNDLE_ID'] ?? '', activityType: 'Activity' };
	const { headers, payload } = notificationOf(deliveryTo(0), tokenOf(0), app);
	const ca = readFileSync(settings['BECKON_APNS_CA_FILE'] ?? '', 'utf8');
	await compare('APNs', {
		bare: async () => {
			const send = await bareApns(
				settings['BECKON_APNS_URL'] ?? '',
				ca,
				{ ...headers, authorization: `bearer ${token.current()}` },
				payload,
				DEVICES,
			);
			return services.rate(DEVICES, send);
		},
		gateway: () =>
			services.rate(DEVICES, () =>
				inParallel(DEVICES, 1_000, (index) => apns.deliver(deliveryTo(index))),
			),
		'request, store, outbox and gateway': wholeWay(services, house),
	});
	await house.close();
}

async function measureWebPush(services: Services): Promise<void> {
	const { subscription } = services;
	const house = await openHouse({}, DEVICES, subscription);
	const delivery = deliveryTo(0, subscription);
	const vapid = new Vapid(await vapidKeysOf(house.context.database), 'mailto:a@b.c', Date.now);
	const { keys, endpoint } = subscription;
	const text = textOf(delivery, MAX_TEXT_BYTES);
	const encrypted = () => webPush.encrypt(keys.p256dh, keys.auth, text, 'aes128gcm').cipherText;
	const cipherText = encrypted();
	const headers = {
		...headersOf(delivery, { kind: 'push', push: PUSH }),
		authorization: vapid.authorization(new URL(endpoint).origin),
		'content-encoding': 'aes128gcm',
		'content-length': cipherText.length,
	};
	await compare('Web Push', {
		bare: () =>
			services.rate(DEVICES, () => bareWebPush(endpoint, headers, () => cipherText, DEVICES)),
		'bare, encrypting each': () =>
			services.rate(DEVICES, () => bareWebPush(endpoint, headers, encrypted, DEVICES)),
		'gateway, encrypting each': () =>
			services.rate(DEVICES, () =>
				inParallel(DEVICES, 200, (index) =>
					house.gateways.webPush.deliver(deliveryTo(index, subscription)),
				),
			),
		'request, store, outbox and gateway': wholeWay(services, house),
	});
	await house.close();
}

const services = await Services.start();
process.stdout.write(`${DEVICES} devices, median of ${ROUNDS} rounds each\n`);
await measureApns(services);
await measureWebPush(services);
const { p50, p99, count } = await measureLatency(services);
process.stdout.write(
	`Latency   request to push service, 100 requests/s: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${count} pushes)\n`,
);
services.stop();
