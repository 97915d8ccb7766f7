import type { ServerProcess } from '../../support/process.ts';

/** Equal servers behind a load balancer, which sends each request to the next one that is up. */
export class Fleet {
	readonly #startOne: () => Promise<ServerProcess>;
	readonly #servers: Array<ServerProcess | undefined>;
	#next = 0;

	constructor(size: number, startOne: () => Promise<ServerProcess>) {
		this.#startOne = startOne;
		this.#servers = Array.from({ length: size });
	}

	get size(): number {
		return this.#servers.length;
	}

	async start(): Promise<void> {
		await Promise.all(
			this.#servers.map(async (_, index) => {
				this.#servers[index] = await this.#startOne();
			}),
		);
	}

	/** Address for the next request; one that nobody listens on while all are down. */
	address(): string {
		const up = this.#servers.filter((server) => server !== undefined);
		this.#next += 1;
		return up[this.#next % up.length]?.url ?? 'http://127.0.0.1:1';
	}

	/** Ends one and starts it again. @returns the signal that ended it, or its exit code */
	async restart(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<NodeJS.Signals | number> {
		const server = this.#servers[index];
		if (!server) throw new Error(`Server ${index} is not up`);
		// The balancer notices only now: requests under way are hit.
		server.signal(signal);
		this.#servers[index] = undefined;
		const ended = await server.finished;
		if (signal === 'SIGTERM' && ended.code !== 0) process.stdout.write(`${ended.stderr}\n`);
		this.#servers[index] = await this.#startOne();
		return ended.signal ?? ended.code ?? -1;
	}

	/** Addresses of the servers that are up. */
	urls(): string[] {
		return this.#servers.flatMap((server) => server?.url ?? []);
	}

	async close(): Promise<void> {
		for (const server of this.#servers) {
			server?.signal('SIGKILL');
			await server?.finished;
		}
	}
}
