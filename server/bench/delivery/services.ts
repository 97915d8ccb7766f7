import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Subscription {
	endpoint: string;
	keys: { p256dh: string; auth: string };
}

interface Hello {
	settings: Record<string, string>;
	subscription: Subscription;
}

/** The push services in their own process. */
export class Services {
	readonly settings: Record<string, string>;
	readonly subscription: Subscription;
	readonly #child: ChildProcess;

	private constructor(child: ChildProcess, { settings, subscription }: Hello) {
		this.#child = child;
		this.settings = settings;
		this.subscription = subscription;
	}

	static async start(): Promise<Services> {
		const child = fork(join(import.meta.dirname, 'stand-in.ts'));
		const [hello] = (await once(child, 'message')) as [Hello];
		return new Services(child, hello);
	}

	/** Pushes per second, from the start of `send` until the services have taken `count`. */
	async rate(count: number, send: () => Promise<unknown>): Promise<number> {
		await this.#tell({ expect: count });
		const done = once(this.#child, 'message');
		const begin = performance.timeOrigin + performance.now();
		await send();
		const [{ done: end }] = (await done) as [{ done: number }];
		return (count * 1_000) / (end - begin);
	}

	/** Calls back with each push's title and arrival, in milliseconds since 1970. */
	async trace(onTaken: (title: string, at: number) => void): Promise<void> {
		await this.#tell({ trace: true });
		this.#child.on('message', ({ title, at }: { title: string; at: number }) => onTaken(title, at));
	}

	/** Every push is answered 503 from now on. */
	fail(): Promise<void> {
		return this.#tell({ fail: true });
	}

	stop(): void {
		this.#child.disconnect();
	}

	async #tell(message: object): Promise<void> {
		const ready = once(this.#child, 'message');
		this.#child.send(message);
		await ready;
	}
}
