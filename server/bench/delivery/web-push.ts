import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import webPush from 'web-push';
import { encrypt } from '../../src/delivery/webpush/encrypt.ts';
import {
	cutMessage,
	toHeaders,
	MAX_TEXT_BYTES,
	formatMessage,
} from '../../src/delivery/webpush/message.ts';
import { Vapid, loadVapidKeys } from '../../src/delivery/webpush/vapid.ts';
import { BareWebPush, inParallel } from './bare.ts';
import { compare, deliveryTo, DEVICES, PUSH, type Rate, wholeWay } from './compare.ts';
import { openBenchServer } from './bench-server.ts';
import type { Services } from './services.ts';

/** Concurrent requests, the same as the gateway's. */
const OPEN = 200;

export async function measureWebPush(services: Services): Promise<Rate[]> {
	const { subscription, settings } = services;
	const ca = readFileSync(settings['BECKON_APNS_CA_FILE'] ?? '', 'utf8');
	setDefaultCACertificates([...getCACertificates(), ca]);
	const server = await openBenchServer({}, DEVICES, subscription);
	const delivery = deliveryTo(0, subscription);
	const vapid = new Vapid(await loadVapidKeys(server.context.database), 'mailto:a@b.c', Date.now);
	const { keys, endpoint } = subscription;
	const text = formatMessage(delivery, cutMessage(delivery, MAX_TEXT_BYTES));
	const once = encrypt(text, keys);
	const bare = new BareWebPush(endpoint, {
		...toHeaders(delivery, { kind: 'push', push: PUSH }, Date.now()),
		authorization: vapid.authorization(new URL(endpoint).origin),
		'content-encoding': 'aes128gcm',
		'content-length': once.length,
	});
	const toAll = (send: (index: number) => Promise<unknown>) => () =>
		services.rate(DEVICES, () => inParallel(DEVICES, OPEN, send));
	const rates = await compare([
		{
			name: 'bare `node:https`, one encrypted text for all',
			measure: toAll(() => bare.send(once)),
		},
		{
			name: 'bare, each encrypted by `web-push`',
			measure: toAll(() =>
				bare.send(webPush.encrypt(keys.p256dh, keys.auth, text, 'aes128gcm').cipherText),
			),
		},
		{
			name: 'bare, each encrypted by `node:crypto`',
			measure: toAll(() => bare.send(encrypt(text, keys))),
			isBare: true,
		},
		{
			name: 'the gateway alone',
			measure: toAll((index) => server.gateways.webPush.deliver(deliveryTo(index, subscription))),
		},
		wholeWay(services, server),
	]);
	bare.close();
	await server.close();
	return rates;
}
