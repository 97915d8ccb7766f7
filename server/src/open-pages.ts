import type { ForeignChange, Topic } from './store/changes.ts';

/** The part a subscriber should look at again: its inbox, its dismissals, its account's metrics, or everything. */
export type PhoneChange = 'inbox' | 'dismissals' | 'metrics' | 'all';

/** The kind of change in an account, for its consoles: only the traffic of workflows and phones, or anything. */
type AccountChange = 'traffic' | 'anything';

type Watcher = (change: AccountChange) => void;

interface Subscriber {
	deviceId: string;
	accountId: string;
	notify: (change: PhoneChange) => void;
}

/**
 * Tells open pages, of phones and of the console, to look at the store again. It carries no content: a page shows
 * only content from the store, so nothing is lost when nobody listens.
 */
export class OpenPages {
	readonly #announce: (topic: Topic) => void;
	readonly #byDevice = new Map<string, Set<Subscriber>>();
	readonly #byAccount = new Map<string, Set<Subscriber>>();
	readonly #watchers = new Map<string, Set<Watcher>>();

	/** @param announce tells the other processes, whose phones may be waiting for the same change */
	constructor(announce: (topic: Topic) => void) {
		this.#announce = announce;
	}

	/** @returns a function that unsubscribes */
	subscribe(subscriber: Subscriber): () => void {
		const groups = [
			groupOf(this.#byDevice, subscriber.deviceId),
			groupOf(this.#byAccount, subscriber.accountId),
		];
		for (const group of groups) group.add(subscriber);
		this.accountChanged(subscriber.accountId);
		return () => {
			for (const group of groups) group.delete(subscriber);
			this.accountChanged(subscriber.accountId);
			if (groups[0]?.size === 0) this.#byDevice.delete(subscriber.deviceId);
			if (groups[1]?.size === 0) this.#byAccount.delete(subscriber.accountId);
		};
	}

	/** True if a page of the device is open now. */
	isConnected(deviceId: string): boolean {
		return (this.#byDevice.get(deviceId)?.size ?? 0) > 0;
	}

	/** The account's devices that have a page open now. */
	connectedDevices(accountId: string): string[] {
		return [...(this.#byAccount.get(accountId) ?? [])].map(({ deviceId }) => deviceId);
	}

	/** The number of event streams open to this process. */
	openStreams(): { phones: number; consoles: number } {
		const count = (groups: Iterable<ReadonlySet<unknown>>) => {
			let all = 0;
			for (const { size } of groups) all += size;
			return all;
		};
		return { phones: count(this.#byDevice.values()), consoles: count(this.#watchers.values()) };
	}

	/** Calls back whenever the account's data may have changed. @returns a function that stops it */
	watch(accountId: string, notify: Watcher): () => void {
		const watchers = groupOf(this.#watchers, accountId);
		watchers.add(notify);
		return () => {
			watchers.delete(notify);
			if (watchers.size === 0) this.#watchers.delete(accountId);
		};
	}

	/** Tells the account's open consoles to refresh. */
	accountChanged(accountId: string, change: AccountChange = 'anything'): void {
		for (const notify of this.#watchers.get(accountId) ?? []) notify(change);
	}

	inboxChanged(deviceId: string): void {
		this.#tellDevice(deviceId, 'inbox');
		this.#announce(`inbox ${deviceId}`);
	}

	dismissalsChanged(deviceId: string): void {
		this.#tellDevice(deviceId, 'dismissals');
		this.#announce(`dismissals ${deviceId}`);
	}

	metricsChanged(accountId: string): void {
		this.#tellPhones(accountId);
		this.#announce(`metrics ${accountId}`);
	}

	/** Called when another process has changed the store. */
	foreignChange(change: ForeignChange): void {
		if (change === 'everything') {
			this.#everythingChanged();
			return;
		}
		for (const topic of change) {
			const [what, id = ''] = topic.split(' ');
			if (what === 'account') this.accountChanged(id);
			else if (what === 'inbox' || what === 'dismissals') this.#tellDevice(id, what);
			else if (what === 'metrics') this.#tellPhones(id);
		}
	}

	#tellDevice(deviceId: string, change: 'inbox' | 'dismissals'): void {
		const subscribers = this.#byDevice.get(deviceId);
		if (subscribers) for (const subscriber of subscribers) subscriber.notify(change);
	}

	#tellPhones(accountId: string): void {
		for (const subscriber of this.#byAccount.get(accountId) ?? []) subscriber.notify('metrics');
	}

	#everythingChanged(): void {
		for (const group of this.#byDevice.values()) {
			for (const subscriber of group) subscriber.notify('all');
		}
		for (const accountId of this.#watchers.keys()) this.accountChanged(accountId);
	}
}

function groupOf<T>(groups: Map<string, Set<T>>, key: string): Set<T> {
	const group = groups.get(key) ?? new Set<T>();
	groups.set(key, group);
	return group;
}
