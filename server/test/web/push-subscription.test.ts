import { afterEach, describe, expect, it } from '@jest/globals';
import { deviceClient } from '../../web/device/device-client.ts';
import { startPush } from '../../web/phone/push-registration.ts';
import { ensureSubscription } from '../../web/phone/push-subscription.ts';

const KEY = Uint8Array.from([4, 1, 2]);

/** A browser that has a subscription, and a server that gives the key. */
function browserWith(key: object, subscribe?: () => never) {
	const calls: string[] = [];
	const made = (name: string) => ({
		options: { applicationServerKey: KEY.buffer },
		toJSON: () => ({
			endpoint: `https://push.example.com/${name}`,
			keys: { p256dh: 'p', auth: 'a' },
		}),
		unsubscribe: () => Promise.resolve(calls.push(`unsubscribe ${name}`) > 0),
	});
	const pushManager = {
		getSubscription: () => Promise.resolve(subscribe ? null : made('kept')),
		subscribe: () => {
			calls.push('subscribe');
			return subscribe ? subscribe() : Promise.resolve(made('new'));
		},
	} as unknown as PushManager;
	const client = deviceClient((path, { body }) => {
		if (path === '/web-push-key')
			return Promise.resolve(
				Response.json({ public_key: Buffer.from(KEY).toString('base64url'), ...key }),
			);
		calls.push(`${path} ${JSON.parse(body as string).push_subscription.endpoint}`);
		return Promise.resolve(Response.json({ success: true }));
	});
	return { calls, pushManager, client };
}

describe('the subscription of a page that opens', () => {
	it('is registered as it is while it is good', async () => {
		const { calls, client, pushManager } = browserWith({});
		await ensureSubscription(client, pushManager);
		expect(calls).toEqual(['/tokens https://push.example.com/kept']);
	});

	it('is replaced once its push service no longer takes it, even if the browser still has it', async () => {
		const { calls, client, pushManager } = browserWith({ has_ended: true });
		await ensureSubscription(client, pushManager);
		expect(calls).toEqual([
			'unsubscribe kept',
			'subscribe',
			'/tokens https://push.example.com/new',
		]);
	});
});

describe('a browser that subscribes only in answer to a tap', () => {
	const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
	afterEach(() => void Object.defineProperty(globalThis, 'navigator', own!));

	it('is asked for one', async () => {
		const { client, pushManager } = browserWith({}, () => {
			throw new DOMException('A user gesture is required', 'NotAllowedError');
		});
		const serviceWorker = { ready: Promise.resolve({ pushManager }) };
		Object.defineProperty(globalThis, 'navigator', {
			value: { serviceWorker },
			configurable: true,
		});
		expect(await startPush(client)).toEqual({ kind: 'ask' });
	});
});
