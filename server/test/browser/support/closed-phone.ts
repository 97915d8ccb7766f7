import type { CDPSession, Page, Worker } from 'playwright-core';
import { PushService } from '../../gateways/support/push-service.ts';
import type { Bench } from './bench.ts';
import { eventually } from './browser.ts';

/** A notification as the system shows it. */
export interface ShownNotification {
	title: string;
	body: string;
	tag: string;
	icon: string;
	silent: boolean;
	renotify: boolean;
	image: string;
	actions: Array<{ action: string; title: string }>;
}

/** Actions of the worker that a browser without a desktop does not show. */
interface Noted {
	badges: number[];
	opened: string[];
}

const BROWSER = 'browser';

/**
 * A phone whose browser has a push service. Chromium without Google's servers cannot subscribe, so a
 * local service replaces them: it decrypts the server's messages, and DevTools hands them to the service
 * worker.
 */
export class ClosedPhone {
	readonly service: PushService;
	readonly #bench: Bench;
	readonly #devtools: CDPSession;
	/** A page of the phone's origin that is no phone, used to watch its notifications. */
	readonly #lookout: Page;
	#registrationId = '';

	private constructor(bench: Bench, service: PushService, devtools: CDPSession, lookout: Page) {
		this.#bench = bench;
		this.service = service;
		this.#devtools = devtools;
		this.#lookout = lookout;
	}

	static async of(bench: Bench): Promise<ClosedPhone> {
		const { context } = bench.opened;
		const service = new PushService();
		await service.listen();
		await context.addInitScript(standInForPushManager, service.subscribe(BROWSER));
		const lookout = await context.newPage();
		await lookout.goto(`${bench.server.url}/api/openapi.json`);
		const devtools = await context.newCDPSession(lookout);
		const phone = new ClosedPhone(bench, service, devtools, lookout);
		devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
			const [registration] = registrations.filter(({ isDeleted }) => !isDeleted);
			if (registration) phone.#registrationId = registration.registrationId;
		});
		await devtools.send('ServiceWorker.enable');
		service.onReceived = ({ message }) => void phone.deliver(message);
		return phone;
	}

	/** Hands a message to the worker, as the browser does. */
	async deliver(message: unknown): Promise<void> {
		await this.#devtools.send('ServiceWorker.deliverPushMessage', {
			origin: this.#bench.server.url,
			registrationId: this.#registrationId,
			data: JSON.stringify(message),
		});
	}

	/** Dispatches the event itself in the worker, as no push service would; resolves once handled. */
	async hand(message: unknown): Promise<void> {
		await (
			await this.worker()
		).evaluate(async (data) => {
			const { PushEvent } = globalThis as unknown as {
				PushEvent: new (type: string, init: object) => Event;
			};
			const event = new PushEvent('push', { data });
			const work: Array<Promise<unknown>> = [];
			// Only the browser's own events may be extended.
			Object.defineProperty(event, 'waitUntil', {
				value: (promise: Promise<unknown>) => work.push(promise),
			});
			globalThis.dispatchEvent(event);
			await Promise.all(work);
		}, JSON.stringify(message));
	}

	/** The network is back: the browser wakes the worker for its registered sync. */
	async sync(): Promise<void> {
		await this.#devtools.send('ServiceWorker.dispatchSyncEvent', {
			origin: this.#bench.server.url,
			registrationId: this.#registrationId,
			tag: 'reports',
			lastChance: false,
		});
	}

	notifications(): Promise<ShownNotification[]> {
		return this.#lookout.evaluate(async () => {
			const registration = await navigator.serviceWorker.getRegistration('/phone');
			// As the page itself does: Chromium forgets one that is being shown while others list them.
			const shown = await navigator.locks.request(
				'notifications',
				async () => (await registration?.getNotifications()) ?? [],
			);
			return shown.map((notification) => {
				const { title, body, tag, icon, silent, renotify, image, actions } =
					notification as unknown as ShownNotification;
				return { title, body, tag, icon, silent, renotify, image, actions };
			});
		});
	}

	/** Waits for a notification with this title. */
	async notification(title: string): Promise<ShownNotification> {
		let found: ShownNotification | undefined;
		await eventually(async () => {
			const all = await this.notifications();
			found = all.find((notification) => notification.title === title);
			if (!found) throw new Error(`No “${title}” among ${JSON.stringify(all)}`);
		});
		return found!;
	}

	async clear(): Promise<void> {
		await this.#lookout.evaluate(async () => {
			const registration = await navigator.serviceWorker.getRegistration('/phone');
			await navigator.locks.request('notifications', async () => {
				for (const notification of (await registration?.getNotifications()) ?? [])
					notification.close();
			});
		});
	}

	/** Sends until the server calls the push service, which it does once it knows that the page is closed. */
	async takesOver(send: () => Promise<void>): Promise<void> {
		const { received } = this.service;
		const before = received.length;
		await eventually(async () => {
			await send();
			if (received.length === before) throw new Error('The server still tells the page itself');
		});
		await this.notification(received.at(-1)!.message.notification.title);
		await this.clear();
	}

	async worker(): Promise<Worker> {
		const { context } = this.#bench.opened;
		return context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
	}

	/** Records the worker's badges and windows from now on. @returns what has been recorded so far */
	async noted(): Promise<Noted> {
		return (await this.worker()).evaluate(() => {
			const scope = globalThis as unknown as {
				noted?: Noted;
				navigator: { setAppBadge: unknown; clearAppBadge: unknown };
				clients: { openWindow: unknown };
			};
			if (!scope.noted) {
				const noted: Noted = { badges: [], opened: [] };
				scope.noted = noted;
				scope.navigator.setAppBadge = async (badge: number) => void noted.badges.push(badge);
				scope.navigator.clearAppBadge = async () => void noted.badges.push(0);
				scope.clients.openWindow = async (url: string) => void noted.opened.push(url);
			}
			return scope.noted;
		});
	}

	/** From now on, the worker's browser is Safari on iOS, which ignores most of a notification's options. */
	async becomeIphone(): Promise<void> {
		await (
			await this.worker()
		).evaluate(() => {
			const { registration, navigator } = globalThis as unknown as {
				registration: ServiceWorkerRegistration;
				navigator: Navigator;
			};
			const userAgent =
				'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
			Object.defineProperty(navigator, 'userAgent', { value: userAgent });
			const show = registration.showNotification.bind(registration);
			registration.showNotification = (title, { body, icon, data }: NotificationOptions = {}) =>
				show(title, { body, icon, data });
		});
	}

	/** Sets the worker's clock back by this many milliseconds. */
	async setClockBack(by: number): Promise<void> {
		await (
			await this.worker()
		).evaluate((by) => {
			const scope = globalThis as unknown as { realNow?: () => number };
			const realNow = (scope.realNow ??= Date.now.bind(Date));
			Date.now = () => realNow() - by;
		}, by);
	}

	/** Taps the notification with this title, or one of its buttons. */
	tap(title: string, action = ''): Promise<void> {
		return this.#happen('notificationclick', title, action);
	}

	/** Swipes the notification away. */
	swipeAway(title: string): Promise<void> {
		return this.#happen('notificationclose', title, '');
	}

	/** Reports the one before as closed, as a browser may that does not replace notifications itself. */
	replaced(title: string): Promise<void> {
		return this.#happen('notificationclose', title, 'stays');
	}

	/** Resolves once the worker has finished handling the event. */
	async #happen(type: string, title: string, action: string): Promise<void> {
		await this.notification(title);
		const worker = await this.worker();
		await worker.evaluate(
			async ([type, title, action]) => {
				const scope = globalThis as unknown as {
					registration: ServiceWorkerRegistration;
					NotificationEvent: new (type: string, init: object) => Event;
				};
				const all = await navigator.locks.request('notifications', () =>
					scope.registration.getNotifications(),
				);
				const notification = all.find((shown) => shown.title === title);
				const event = new scope.NotificationEvent(type, { notification, action });
				const work: Array<Promise<unknown>> = [];
				// Only the browser's own events may be extended.
				Object.defineProperty(event, 'waitUntil', {
					value: (promise: Promise<unknown>) => work.push(promise),
				});
				if (type === 'notificationclose' && action !== 'stays') notification?.close();
				globalThis.dispatchEvent(event);
				await Promise.all(work);
			},
			[type, title, action] as const,
		);
	}

	async close(): Promise<void> {
		await this.service.close();
	}
}

/** Runs in the page: a push manager with the local push service's subscription. */
function standInForPushManager(given: { endpoint: string; keys: object }): void {
	if (!('PushManager' in window)) return;
	const KEPT = 'test.push';
	const subscription = () => {
		const kept = localStorage.getItem(KEPT);
		if (kept === null) return null;
		const key = Uint8Array.from(JSON.parse(kept) as number[]).buffer;
		return {
			options: { applicationServerKey: key },
			toJSON: () => given,
			unsubscribe: async () => {
				localStorage.removeItem(KEPT);
				return true;
			},
		};
	};
	Object.assign(PushManager.prototype, {
		getSubscription: async () => subscription(),
		subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
			// `NotAllowedError` as Safari does without a tap, `AbortError` if the push service cannot be reached.
			const refusal = localStorage.getItem('test.refusal');
			if (refusal !== null) throw new DOMException('', refusal);
			localStorage.setItem(KEPT, JSON.stringify([...applicationServerKey]));
			return subscription();
		},
	});
}
