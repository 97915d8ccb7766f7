import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes everything on to a service until it is silenced: then nothing, like a dead line. */
export class SilentLine {
	isSilent = false;
	/** Pieces received from the service. */
	answers = 0;
	readonly #sockets = new Set<Socket>();
	readonly #server: Server;

	private constructor(target: URL) {
		this.#server = createServer((client) => {
			const service = connect(Number(target.port), target.hostname);
			const pass = (from: Socket, to: Socket, onPassed: () => void) => {
				this.#sockets.add(from);
				from.on('data', (chunk) => {
					if (this.isSilent) return;
					to.write(chunk);
					onPassed();
				});
				from.on('error', () => undefined);
				from.on('close', () => to.destroy());
			};
			pass(client, service, () => undefined);
			pass(service, client, () => (this.answers += 1));
		});
	}

	/** @param origin `https://host:port` */
	static async to(origin: string): Promise<SilentLine> {
		const line = new SilentLine(new URL(origin));
		line.#server.listen(0, '127.0.0.1');
		await once(line.#server, 'listening');
		return line;
	}

	get url(): string {
		return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	close(): void {
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
	}
}
