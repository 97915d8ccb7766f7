import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchBrowser, type Visit, visit } from './browser.ts';
import { PhonePage } from './phone-page.ts';
import { type Api, apiOf, requirePages, RestartableServer } from './server.ts';
import { receiveWebhooks, type WebhookReceiver } from './webhooks.ts';

/** A running server with one account and its key, a webhook receiver, and an open browser window. */
export interface Bench {
	server: RestartableServer;
	account: string;
	api: Api;
	hooks: WebhookReceiver;
	browser: Browser;
	opened: Visit;
	/** The page in `opened`. */
	phone: PhonePage;
	newCode(): Promise<string>;
	/** Pairs `phone`, or the given page, by a link. */
	pair(phone?: PhonePage): Promise<void>;
	close(): Promise<void>;
}

export async function openBench(account: string, options?: BrowserContextOptions): Promise<Bench> {
	requirePages();
	const browser = await launchBrowser();
	const server = new RestartableServer();
	const hooks = await receiveWebhooks();
	const close = async () => {
		await browser.close();
		await hooks.close();
		await server.remove();
	};
	try {
		await server.start();
		await server.command('account', 'create', '--name', account, '--owner', 'ada@example.com');
		const words = ['key', 'create', '--account', account, '--name', 'test'];
		const { key } = await server.command<{ key: string }>(...words);
		const opened = await visit(browser, { colorScheme: 'dark', ...options });
		const phone = new PhonePage(opened.page);
		const newCode = async () => {
			const code = ['device', 'pair-code', '--account', account];
			return (await server.command<{ code: string }>(...code)).code;
		};
		const pair = async (page = phone) => {
			await page.page.goto(`${server.url}/phone#code=${await newCode()}`);
			await page.pair();
			await page.live();
		};
		const api = apiOf(server, key);
		return { server, account, api, hooks, browser, opened, phone, newCode, pair, close };
	} catch (error) {
		await close();
		throw error;
	}
}
