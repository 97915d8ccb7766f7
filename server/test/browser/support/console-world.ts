import type { Browser } from 'playwright-core';
import { launchBrowser, visit, type Visit } from './browser.ts';
import { ConsolePage } from './console-page.ts';
import { type Api, apiOf, requirePages, RestartableServer } from './server.ts';

export const PASSWORD = 'correct horse battery staple';

/** The pages by their names in the menu. */
export const PAGES = [
	'Live now',
	'Playground',
	'Questions',
	'History',
	'Phones',
	'Channels',
	'Metrics',
	'API keys',
	'People',
	'Usage and limits',
	'Audit log',
];

/** The real server with the demo account, and a browser with the console open. */
export interface ConsoleWorld {
	server: RestartableServer;
	browser: Browser;
	/** The public API with the account's key. */
	api: Api;
	owner: Visit;
	app: ConsolePage;
	deviceToken: string;
	/** A fresh setup link for the account. */
	setupLink(): Promise<string>;
	/** Sets the owner up and opens the console. */
	enter(): Promise<void>;
	/** The account's phone, with its page open. */
	openPhone(): Promise<Visit>;
	/** Pairs a phone that is never opened, for `user` or else the account's first person. */
	pair(name: string, user?: string): Promise<void>;
	close(): Promise<void>;
}

/** Pairs with the code, as a phone's browser does. */
export async function pairBy(server: RestartableServer, code: string, name: string): Promise<void> {
	const answer = await fetch(`${server.url}/device/pair`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ code, name, platform: 'web' }),
	});
	if (!answer.ok) throw new Error(`The phone was not paired: ${await answer.text()}`);
}

/** @param settings of the server */
export async function startConsoleWorld(
	settings: Record<string, string> = {},
): Promise<ConsoleWorld> {
	requirePages();
	const server = new RestartableServer();
	server.settings = settings;
	await server.start();
	const demo = await server.seed();
	const browser = await launchBrowser();
	const owner = await visit(browser, {
		viewport: { width: 1280, height: 860 },
		deviceScaleFactor: 1,
	});
	const app = new ConsolePage(owner.page);
	const setupLink = async () => {
		const { link } = await server.command<{ link: string }>(
			'account',
			'setup-link',
			'--account',
			'demo',
		);
		return `${server.url}/console${new URL(link).hash}`;
	};
	return {
		server,
		browser,
		api: apiOf(server, demo.key),
		owner,
		app,
		deviceToken: demo.device_token,
		setupLink,
		async enter() {
			await owner.page.goto(await setupLink());
			await app.field('Your name').fill('Olga');
			await app.field('Email address').fill('olga@example.com');
			await app.field('Password').fill(PASSWORD);
			await app.button('Set up').click();
			await app.heading('Live now').waitFor();
		},
		async openPhone() {
			const phone = await visit(browser);
			await phone.page.goto(`${server.url}/phone#token=${demo.device_token}`);
			await phone.page.locator('.status-icons .is-live').waitFor();
			return phone;
		},
		async pair(name, user) {
			const { code } = await server.command<{ code: string }>(
				'device',
				'pair-code',
				'--account',
				'demo',
				...(user === undefined ? [] : ['--user', user]),
			);
			await pairBy(server, code, name);
		},
		async close() {
			await browser.close();
			await server.remove();
		},
	};
}
