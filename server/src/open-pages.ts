import { Groups } from './collections.ts';
import type { RemoteChange, Topic } from './store/database.ts';

/** What a subscriber should reload: its inbox, its dismissals, its account's metrics, or everything. */
export type PhoneChange = 'inbox' | 'dismissals' | 'metrics' | 'all';

/** The kind of change in an account, for its consoles: only the traffic of workflows and phones, or anything. */
type AccountChange = 'traffic' | 'anything';

/** Milliseconds per page over which a full reload of all pages is spread out: each page takes several queries. */
const LOOK_MS = 2;

type Watcher = (change: AccountChange) => void;

interface Subscriber {
	deviceId: string;
	accountId: string;
	notify: (change: PhoneChange) => void;
}

/**
 * Notifies open pages of phones and of the console to reload from the store. Notifications have no content: a page shows
 * only content from the store, so nothing is lost when no page listens.
 */
export class OpenPages {
	readonly #announce: (topic: Topic) => void;
	readonly #byDevice = new Groups<Subscriber>();
	readonly #byAccount = new Groups<Subscriber>();
	readonly #watchers = new Groups<Watcher>();

	/** @param announce announces a change to the other processes, whose phones may be waiting for it */
	constructor(announce: (topic: Topic) => void) {
		this.#announce = announce;
	}

	/** @returns a function that unsubscribes */
	subscribe(subscriber: Subscriber): () => void {
		const { deviceId, accountId } = subscriber;
		this.#byDevice.join(deviceId, subscriber);
		this.#byAccount.join(accountId, subscriber);
		this.accountChanged(accountId);
		return () => {
			this.#byDevice.leave(deviceId, subscriber);
			this.#byAccount.leave(accountId, subscriber);
			this.accountChanged(accountId);
		};
	}

	/** True if a page of the device is open now. */
	isConnected(deviceId: string): boolean {
		return this.#byDevice.has(deviceId);
	}

	/** The account's devices that have a page open now. */
	connectedDevices(accountId: string): string[] {
		return [...(this.#byAccount.get(accountId) ?? [])].map(({ deviceId }) => deviceId);
	}

	/** The number of event streams open to this process. */
	openStreams(): { phones: number; consoles: number } {
		return { phones: this.#byDevice.members, consoles: this.#watchers.members };
	}

	/** Calls back whenever the account's data may have changed. @returns a function that stops it */
	watch(accountId: string, notify: Watcher): () => void {
		this.#watchers.join(accountId, notify);
		return () => this.#watchers.leave(accountId, notify);
	}

	/** Notifies the account's open consoles to refresh. */
	accountChanged(accountId: string, change: AccountChange = 'anything'): void {
		for (const notify of this.#watchers.get(accountId) ?? []) notify(change);
	}

	inboxChanged(deviceId: string): void {
		this.#notifyDevice(deviceId, 'inbox');
		this.#announce(`inbox ${deviceId}`);
	}

	dismissalsChanged(deviceId: string): void {
		this.#notifyDevice(deviceId, 'dismissals');
		this.#announce(`dismissals ${deviceId}`);
	}

	metricsChanged(accountId: string): void {
		this.#notifyPhones(accountId);
		this.#announce(`metrics ${accountId}`);
	}

	/** Called when another process has changed the store. */
	remoteChange(change: RemoteChange): void {
		if (change === 'everything') {
			this.#everythingChanged();
			return;
		}
		for (const topic of change) {
			const [what, id = ''] = topic.split(' ');
			if (what === 'account') this.accountChanged(id);
			else if (what === 'inbox' || what === 'dismissals') this.#notifyDevice(id, what);
			else if (what === 'metrics') this.#notifyPhones(id);
		}
	}

	/** Makes the pages reload in random order, spread over time, since the pages of all other servers reload too. */
	#everythingChanged(): void {
		const { phones, consoles } = this.openStreams();
		const inTurn = (notify: () => void) =>
			setTimeout(notify, Math.random() * (phones + consoles) * LOOK_MS).unref();
		for (const deviceId of this.#byDevice.keys()) inTurn(() => this.#notifyDevice(deviceId, 'all'));
		for (const accountId of this.#watchers.keys()) inTurn(() => this.accountChanged(accountId));
	}

	#notifyDevice(deviceId: string, change: PhoneChange): void {
		for (const subscriber of this.#byDevice.get(deviceId) ?? []) subscriber.notify(change);
	}

	#notifyPhones(accountId: string): void {
		for (const subscriber of this.#byAccount.get(accountId) ?? []) subscriber.notify('metrics');
	}
}
