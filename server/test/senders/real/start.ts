import { startTestServer, type TestServer } from '../../support/server.ts';

export interface Reached {
	server: TestServer;
	/** `host:port` of the loopback address, without a scheme. */
	host: string;
	/** A sender key of the channel `ops`, which reaches the first phone. */
	key: string;
}

/** A server that listens, for programs that nobody here wrote. */
export async function startForSenders(settings: Record<string, string> = {}): Promise<Reached> {
	const server = await startTestServer({ settings });
	await server.addChannel('ops', { devices: [server.phone.id] });
	const key = await server.addSenderKey(['ops']);
	const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
	return { server, host: new URL(url).host, key };
}
