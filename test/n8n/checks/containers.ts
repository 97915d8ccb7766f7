import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { packNode } from '../../../scripts/lib/pack.ts';
import { ROOT } from '../../../scripts/lib/root.ts';
import type { Seed } from '../../../server/test/support/seeded.ts';
import { Phone } from '../../engine/phone.ts';
import type { Check } from './check.ts';
import { installCommunityPackage } from '../support/community-package.ts';
import { LINE_2 } from '../support/lines.ts';
import { N8nApi } from '../support/n8n-api.ts';
import { N8nServer } from '../support/n8n-server.ts';
import { makeNamespaces, reasonAgainstNamespaces, type Namespace } from '../support/namespaces.ts';
import { logFileOf } from '../support/results.ts';
import { until } from '../support/wait.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

const MAIN = path.join(ROOT, 'server/dist/main.js');

/** Takes commands, each a line of JSON, one of which fills the store. */
const COMMANDS = path.join(ROOT, 'server/test/support/commands.ts');

/** The row for two containers in the guide's table of addresses. */
function addressesInGuide() {
	const guide = readFileSync(path.join(ROOT, 'docs/n8n.md'), 'utf8');
	const row = /^\| in two containers of one network.*$/m.exec(guide)?.[0] ?? '';
	const [n8n = '', beckon = '', baseUrl = '', webhookUrl = ''] = [
		...row.matchAll(/`([^`]+)`/g),
	].map(([, code]) => code!);
	return { n8n, beckon, baseUrl, webhookUrl };
}

/** Starts the server in a namespace as it runs in its image. */
async function startBeckon({ address, inside }: Namespace, data: string) {
	const environment = { ...process.env, BECKON_DATA: data, BECKON_LOG_LEVEL: 'error' };
	const input = JSON.stringify({ args: ['seed'], settings: environment });
	const seeded = execFileSync(process.execPath, [COMMANDS], { input, encoding: 'utf8' });
	const seed = JSON.parse((JSON.parse(seeded) as { stdout: string }).stdout) as Seed;
	const [program = '', ...words] = inside([process.execPath, MAIN, 'start', '--json']);
	const child = spawn(program, words, {
		env: { ...environment, BECKON_HOST: '0.0.0.0', BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const url = `http://${address}:8787`;
	await until(async () => (await fetch(`${url}/readyz`)).ok || undefined, { what: 'server' });
	return { child, url, seed };
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null) return;
	child.kill('SIGTERM');
	await once(child, 'exit');
}

/** The guide's addresses for two containers, proved by two network namespaces. */
export const checkContainers: Check = (_bench, line) => {
	if (line !== LINE_2) return;
	const reason = reasonAgainstNamespaces();
	if (reason !== undefined) {
		process.stderr.write(`The addresses of containers are not tested: ${reason}.\n`);
		return;
	}

	describe('n8n and the server in two containers', () => {
		const given = addressesInGuide();
		const closers: Array<() => Promise<void> | void> = [];
		let api: N8nApi;
		let phone: Phone;
		let key: string;

		beforeAll(async () => {
			const folder = mkdtempSync(path.join(tmpdir(), 'beckon-containers-'));
			closers.push(() => rmSync(folder, { recursive: true, force: true }));
			const { namespaces, close } = makeNamespaces([given.n8n, given.beckon]);
			closers.push(close);
			const [ofN8n, ofBeckon] = namespaces as [Namespace, Namespace];

			const beckon = await startBeckon(ofBeckon, path.join(folder, 'beckon'));
			closers.push(() => stop(beckon.child));
			const { device_id: id, device_token: token } = beckon.seed;
			({ key } = beckon.seed);
			phone = new Phone(beckon.url, id, token);

			const { tarball } = await packNode(folder);
			await installCommunityPackage(tarball, folder);
			const n8n = N8nServer.createIn(ofN8n, line, folder, logFileOf(line));
			closers.push(() => n8n.stop());
			await n8n.start({ WEBHOOK_URL: given.webhookUrl });
			api = new N8nApi(n8n.url, line);
			await api.setUpOwner();
		});

		afterAll(async () => {
			for (const closer of closers.reverse()) await closer();
		});

		const credentialFor = (baseUrl: string) =>
			api.createCredential('Beckon', 'beckonApi', { baseUrl, apiKey: key });

		it('do not reach each other by localhost, and n8n says so', async () => {
			const baseUrl = 'http://localhost:8787/api';
			const credential = await credentialFor(baseUrl);
			const test = await api.testCredential(credential, { baseUrl, apiKey: key });
			expect(test).toMatchObject({ status: 'Error', message: expect.stringContaining('Base URL') });
		});

		it('reach each other by the addresses of the guide, from question to answer', async () => {
			const { id, name } = await credentialFor(given.baseUrl);
			const credentials = { beckonApi: { id, name } };
			const asking = chain('Asks', [
				node('Begin', MANUAL_TRIGGER),
				{
					...node('Ask', BECKON, { operation: 'sendAndWait', title: 'Deploy?' }),
					credentials,
				},
			]);
			const executionId = await api.run(await api.createWorkflow(asking), 'Begin');
			expect(await api.settled(executionId)).toMatchObject({ status: 'waiting' });

			const question = (await phone.sent()).at(-1);
			expect(question).toMatchObject({ kind: 'push', push: { title: 'Deploy?' } });
			const { question_id: asked } = await phone.question('Deploy?');
			const answered = await phone.answer(asked, { choice: 'approve' });

			expect(answered).toMatchObject({ outcome: 'answered' });
			expect((await api.ended(executionId)).status).toBe('success');
		});
	});
};
