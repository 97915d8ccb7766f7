import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireProgram } from '../support/programs.ts';
import { eventually, launchPersistent, type Visit } from './support/browser.ts';
import { blocksOf, type HttpsProxy, startHttpsProxy, trust } from './support/https-proxy.ts';
import { PhonePage } from './support/phone-page.ts';
import { RestartableServer } from './support/server.ts';
import { receiveWebhooks, type WebhookReceiver } from './support/webhooks.ts';

requireProgram('caddy');
requireProgram('curl');
requireProgram('certutil', 'libnss3-tools');

const run = promisify(execFile);

/** docs/operations.md, followed at home: with a name of one's own and a certificate from Caddy. */
describe('from one computer to a phone', () => {
	const server = new RestartableServer();
	let proxy: HttpsProxy;
	let hooks: WebhookReceiver;
	let visit: Visit;
	let phone: PhonePage;
	let key: string;

	beforeAll(async () => {
		const folder = mkdtempSync(join(tmpdir(), 'beckon-https-'));
		const home = join(folder, 'home');
		mkdirSync(home);
		await server.start();
		proxy = await startHttpsProxy(folder, new URL(server.url).host);
		await server.stop();
		server.settings = settingsInGuide();
		server.settings['BECKON_PUBLIC_URL'] += `:${new URL(proxy.url).port}`;
		await server.start();
		trust(proxy.authority, home);
		await server.command('account', 'create', '--name', 'acme', '--owner', 'you@example.com');
		({ key } = await server.command('key', 'create', '--account', 'acme', '--name', 'n8n'));
		hooks = await receiveWebhooks();
		visit = await launchPersistent(join(home, 'profile'), {
			env: { ...process.env, HOME: home },
			args: [`--host-resolver-rules=MAP ${proxy.name} 127.0.0.1`],
			origin: proxy.url,
		});
		phone = new PhonePage(visit.page);
	});

	afterAll(async () => {
		await visit?.context.close();
		await hooks?.close();
		await server.remove();
		await proxy?.close();
	});

	/** The settings of the service, as the guide shows them, without its folder for backups. */
	function settingsInGuide(): Record<string, string> {
		const [block = ''] = blocksOf('sh').filter((text) => text.includes('/beckon.env <<'));
		const settings = [...block.matchAll(/^(BECKON_\w+)=(\S+)$/gm)];
		expect(settings.length).toBeGreaterThan(2);
		const named = settings.map(([, name, value]) => [name!, value!]);
		return Object.fromEntries(named.filter(([name]) => name !== 'BECKON_BACKUP_DIR'));
	}

	/** Sends a push with curl, as the guide does. */
	async function push(body: object): Promise<void> {
		const { port, hostname } = new URL(proxy.url);
		const { stdout } = await run('curl', [
			...['--silent', '--show-error', '--fail', '--cacert', proxy.authority],
			...['--resolve', `${hostname}:${port}:127.0.0.1`, `${proxy.url}/api/push-notification`],
			...['-H', `Authorization: Bearer ${key}`, '-H', 'Content-Type: application/json'],
			...['-d', JSON.stringify(body)],
		]);
		expect(JSON.parse(stdout)).toMatchObject({ success: true, devices_notified: 1 });
	}

	it('prints a pairing link with the address of the proxy, and no advice against it', async () => {
		const words = ['device', 'pair-code', '--account', 'acme'];
		const { link, advice } = await server.command<{ link: string; advice?: string }>(...words);
		expect(link).toMatch(new RegExp(`^${proxy.url}/phone#code=`));
		expect(advice ?? null).toBeNull();
		await visit.page.goto(link);
		await phone.pair();
		await phone.live();
	});

	it('lets the browser notify and install, which it does over https only', async () => {
		expect(await visit.page.evaluate(() => isSecureContext)).toBe(true);
		await visit.page.evaluate(async () => {
			await navigator.serviceWorker.ready;
		});
		await visit.page
			.getByRole('region', { name: 'Notifications on this phone' })
			.getByRole('button', { name: 'Allow notifications' })
			.waitFor();
	});

	it('shows a push at once, through the proxy', async () => {
		await push({
			title: 'Hello from home',
			actions: [{ title: 'Answer', type: 'webhook', url: hooks.url('/answer') }],
		});
		await phone.notification('Hello from home').waitFor();
	});

	it('calls a webhook in the own network when its button is tapped', async () => {
		await phone.expand('Hello from home');
		await phone.notification('Hello from home').getByRole('button', { name: 'Answer' }).click();
		await eventually(() => expect(hooks.calls).toMatchObject([{ path: '/answer' }]));
	});
});
