import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

const HEADER = 'x-forwarded-for';

/** `192.0.2.1:443` or `[2001:db8::1]:443`, as some proxies write them, or brackets without a port. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>[^:]+):\d+)$/;

/**
 * Strips the ports from the addresses in X-Forwarded-For. Drops anything that is not an address, along with all
 * entries before it: the proxy that wrote it then counts as the client.
 */
export function believeOnlyAddresses(app: FastifyInstance): void {
	app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
		const forwarded = headers[HEADER];
		if (forwarded !== undefined) headers[HEADER] = readAddresses(String(forwarded)).join(', ');
		done();
	});
}

function readAddresses(forwarded: string): string[] {
	const addresses = forwarded.split(',').map((entry) => withoutPort(entry.trim()));
	return addresses.slice(addresses.findLastIndex((address) => isIP(address) === 0) + 1);
}

function withoutPort(entry: string): string {
	const { v6, v4 } = WITH_PORT.exec(entry)?.groups ?? {};
	return v6 ?? v4 ?? entry;
}
