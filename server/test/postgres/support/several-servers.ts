import type { SteeredGateway } from '../../support/gateways.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

export const PLENTY = {
	BECKON_RATE_PER_ADDRESS: '100000',
	BECKON_RATE_NOTIFICATIONS: '100000',
	BECKON_RATE_LIVE_ACTIVITIES: '100000',
};

export let servers: TestServer[];

/** Starts three servers on one database. */
export async function start(
	settings: Record<string, string> = PLENTY,
	gateway?: SteeredGateway,
): Promise<void> {
	const options = { settings, followsOthers: true, ...(gateway && { gateway: gateway.before }) };
	const first = await startTestServer(options);
	servers = [first];
	for (let n = 1; n < 3; n += 1) servers.push(await startTestServer({ ...options, beside: first }));
}

export async function stop(): Promise<void> {
	for (const server of [...servers].reverse()) await server.close();
}

/** One of the servers, in rotation. */
export const server = (n: number) => servers[n % servers.length]!;

/** Simultaneous requests, to the servers in rotation. */
export function everywhere(
	count: number,
	request: (server: TestServer, n: number) => Promise<Answer>,
): Promise<Answer[]> {
	return Promise.all(Array.from({ length: count }, (_, n) => request(server(n), n)));
}

export const withStatus = (answers: Answer[], status: number) =>
	answers.filter((answer) => answer.status === status).length;
