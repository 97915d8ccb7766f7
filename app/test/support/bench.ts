/** The real server in its own process, with a stand-in for Apple and a webhook that always answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokensRequest } from '../../../server/src/contract/device.ts';
import { apiOf } from '../../../server/test/browser/support/server.ts';
import { ApnsStandIn, type Taken } from '../../../server/test/gateways/support/apns.ts';
import { startReceiver } from '../../../server/test/support/receiver.ts';
import { waitFor } from '../../../server/test/support/wait.ts';
import { runBeckon } from '../../../test/engine/one-node.ts';
import { TestServer } from '../../../test/engine/server.ts';
import { categoriesFor } from '../../src/responses.ts';
import type { Pairing, Session } from '../../src/session.ts';

export type Bench = Awaited<ReturnType<typeof startBench>>;

/** What the app tells the server about itself at its first start. */
export const FIRST_START = {
	layout: 'activity',
	channels: true,
	categories: categoriesFor(undefined).map(({ id }) => id),
};

export async function startBench() {
	const folder = mkdtempSync(join(tmpdir(), 'beckon-app-'));
	const apns = new ApnsStandIn();
	const webhook = await startReceiver((_, answer) => {
		answer.setHeader('content-type', 'application/json');
		answer.end(JSON.stringify({ message: 'The door is open', final: true }));
	});
	await apns.listen();
	const server = await TestServer.start({
		...apns.settings(folder),
		BECKON_RATE_NOTIFICATIONS: '10000',
		BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
	});
	const { key } = await server.seedDemo();
	/** @returns a code that pairs a phone of the account */
	const pairCode = () => server.pairCode('demo');
	return {
		...apiOf(server, key),
		server,
		apns,
		webhookUrl: webhook.url,
		pairCode,
		/** Pairs an app with the server, and registers its tokens, if it has any. */
		async pair(session: Session, tokens?: TokensRequest): Promise<Pairing> {
			const pairing = await session.pair(server.url, { code: await pairCode(), name: 'iPhone' });
			if (tokens) await session.register(tokens);
			return pairing;
		},
		/** Waits for a notification with this title. @returns its payload */
		async notified(token: string, title: string): Promise<Taken['payload']> {
			const find = () => apns.takenFor(token).find((one) => one.payload.aps.alert?.title === title);
			return (await waitFor(`${title} at Apple`, find)).payload;
		},
		/** Runs one Beckon node in n8n's engine. @throws Error if it fails */
		async run(parameters: object) {
			const credentials = { beckonApi: { baseUrl: server.baseUrl, apiKey: key } };
			const run = await runBeckon(parameters as never, { credentials });
			if (run.status !== 'success') throw new Error(run.error?.message);
		},
		async [Symbol.asyncDispose]() {
			await Promise.all([server.stop(), apns.close(), webhook.close()]);
			rmSync(folder, { recursive: true });
		},
	};
}
