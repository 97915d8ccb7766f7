import { Session, type Store } from '../../src/session.ts';

/** A store that forgets with the process. */
export class Memory implements Store {
	readonly texts = new Map<string, string>();

	async get(key: string): Promise<string | null> {
		return this.texts.get(key) ?? null;
	}

	async set(key: string, value: string | null): Promise<void> {
		if (value === null) this.texts.delete(key);
		else this.texts.set(key, value);
	}
}

/** A network that can be away. */
export class Network {
	isOn = true;

	readonly fetch: typeof fetch = (...request) =>
		this.isOn ? fetch(...request) : Promise.reject(new TypeError('No network'));
}

export function sessionInMemory(parts: Partial<ConstructorParameters<typeof Session>[0]> = {}) {
	return new Session({ store: new Memory(), fetch, onDisconnected: () => undefined, ...parts });
}
