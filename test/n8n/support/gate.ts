import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** An address in front of a server, at which it can be unreachable. */
export class Gate {
	/** The address, once it has been opened. */
	url = '';

	private readonly target: URL;

	private readonly sockets = new Set<Socket>();

	/** Below those that the system gives out: another server could get this one while the gate is closed. */
	private readonly port = randomInt(20_000, 30_000);

	private server: Server | undefined;

	constructor(url: string) {
		this.target = new URL(url);
	}

	/** From now on the server can be reached, always at the same port. */
	async open(): Promise<void> {
		const server = createServer((client) => {
			const upstream = connect(Number(this.target.port), this.target.hostname);
			for (const socket of [client, upstream]) {
				this.sockets.add(socket);
				socket.on('error', () => socket.destroy());
				socket.once('close', () => {
					this.sockets.delete(socket);
					client.destroy();
					upstream.destroy();
				});
			}
			client.pipe(upstream).pipe(client);
		});
		server.listen(this.port, '127.0.0.1');
		await once(server, 'listening');
		this.url = `http://127.0.0.1:${this.port}${this.target.pathname}`;
		this.server = server;
	}

	/** Refuses connections, and cuts those there are. */
	async close(): Promise<void> {
		const { server } = this;
		if (!server) return;
		this.server = undefined;
		server.close();
		for (const socket of this.sockets) socket.destroy();
		await once(server, 'close');
	}
}
