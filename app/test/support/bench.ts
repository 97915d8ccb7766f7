/** The real server in its own process, with a stand-in for Apple and a webhook that always answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApnsStandIn } from '../../../server/test/gateways/support/apns.ts';
import { runBeckon } from '../../../test/engine/one-node.ts';
import { TestServer } from '../../../test/engine/server.ts';

export type Bench = Awaited<ReturnType<typeof startBench>>;

export async function startBench() {
	const folder = mkdtempSync(join(tmpdir(), 'beckon-app-'));
	const apns = new ApnsStandIn();
	const webhook = createServer((_, answer) => {
		answer.setHeader('content-type', 'application/json');
		answer.end(JSON.stringify({ message: 'The door is open', final: true }));
	});
	await apns.listen();
	await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
	const server = await TestServer.start({
		...apns.settings(folder),
		BECKON_RATE_NOTIFICATIONS: '10000',
		BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
	});
	const { key } = await server.seedDemo();
	/** A call of the API. @throws Error if it is refused */
	async function call(method: string, path: string, sent?: object): Promise<any> {
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const body = sent && JSON.stringify(sent);
		const answer = await fetch(server.baseUrl + path, { method, headers, ...(body && { body }) });
		if (!answer.ok) throw new Error(await answer.text());
		return answer.json();
	}
	return {
		server,
		apns,
		call,
		webhookUrl: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
		/** @returns a code that pairs a phone of the account */
		async pairCode() {
			const { code } = await server.cli('device', 'pair-code', '--account', 'demo');
			return code ?? '';
		},
		/** Asks people something. @returns a function that reads the question's answer */
		async ask(question: object) {
			const asked = await call('POST', '/questions', question);
			return async (): Promise<any> =>
				(await call('GET', `/questions/${asked.question_id}`)).answer;
		},
		/** Runs one Beckon node in n8n's engine. @throws Error if it fails */
		async run(parameters: object) {
			const credentials = { beckonApi: { baseUrl: server.baseUrl, apiKey: key } };
			const run = await runBeckon(parameters as never, { credentials });
			if (run.status !== 'success') throw new Error(run.error?.message);
		},
		async close() {
			await Promise.all([server.stop(), apns.close(), webhook.close()]);
			rmSync(folder, { recursive: true });
		},
	};
}
