import { Session, type Store } from '../../src/session.ts';

/** A store that forgets with the process. */
export function memory(): Store & { texts: Map<string, string> } {
	const texts = new Map<string, string>();
	return {
		texts,
		get: (key) => Promise.resolve(texts.get(key) ?? null),
		set: (key, value) => {
			if (value === null) texts.delete(key);
			else texts.set(key, value);
			return Promise.resolve();
		},
	};
}

interface Network {
	isOn: boolean;
	fetch: typeof fetch;
}

/** A network that can be away. */
export function network(): Network {
	const net: Network = {
		isOn: true,
		fetch: (...request) =>
			net.isOn ? fetch(...request) : Promise.reject(new TypeError('No network')),
	};
	return net;
}

export function sessionInMemory(parts: Partial<ConstructorParameters<typeof Session>[0]> = {}) {
	return new Session({ store: memory(), fetch, onDisconnected: () => undefined, ...parts });
}
