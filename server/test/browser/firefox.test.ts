import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { HANGS_MS } from '../support/wait.ts';
import { PASSWORD } from './support/console-world.ts';
import { type Api, apiOf, requirePages, RestartableServer } from './support/server.ts';
import { receiveWebhooks, type WebhookReceiver } from './support/webhooks.ts';

const LOST_STREAM = /^Error: Firefox can’t establish a connection to the server at \S+\/events\.$/;

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** The system's Firefox, driven by WebDriver BiDi. Never skipped: without it the pages are not tested. */
function executablePath(): string {
	const path = [process.env.FIREFOX_PATH ?? '', ...PLACES].find(
		(place) => place !== '' && existsSync(place),
	);
	if (path === undefined)
		throw new Error(
			'This test needs Firefox. Install it (Debian: apt-get install firefox-esr) or set FIREFOX_PATH.',
		);
	return path;
}

/** A second engine: what a person does first, on both pages. */
describe('in Firefox', () => {
	let server: RestartableServer;
	let hooks: WebhookReceiver;
	let browser: Browser;
	let page: Page;
	let api: Api;
	const mistakes: string[] = [];

	beforeAll(async () => {
		requirePages();
		server = new RestartableServer();
		await server.start();
		hooks = await receiveWebhooks();
		await server.command('account', 'create', '--name', 'Bakery', '--owner', 'ada@example.com');
		const words = ['key', 'create', '--account', 'Bakery', '--name', 'test'];
		api = apiOf(server, (await server.command<{ key: string }>(...words)).key);
		browser = await puppeteer.launch({
			browser: 'firefox',
			executablePath: executablePath(),
			headless: true,
		});
		page = await browser.newPage();
		page.setDefaultTimeout(HANGS_MS);
		page.on('pageerror', (error) => {
			// On a busy machine, Firefox itself reports a stream that it could not open; the page opens it again.
			if (!LOST_STREAM.test(String(error))) mistakes.push(String(error));
		});
	});

	afterAll(async () => {
		await browser?.close();
		await hooks?.close();
		await server?.remove();
	});

	const button = (name: string) => page.locator(`aria/${name}[role="button"]`);
	const text = (words: string) => page.locator(`text/${words}`).wait();
	const article = (title: string) => page.locator(`aria/${title}[role="article"]`).wait();

	it('a phone pairs', async () => {
		const code = ['device', 'pair-code', '--account', 'Bakery'];
		const { code: given } = await server.command<{ code: string }>(...code);
		await page.goto(`${server.url}/phone#code=${given}`);
		await button('Pair').click();
		await page.locator('.status-icons .is-live').wait();
	});

	it('receives a question by its event stream, and answers it', async () => {
		await api.push({
			title: 'New order',
			message: 'Code 4821, see https://example.com/7',
			actions: [{ title: 'Accept', type: 'webhook', url: hooks.url('/accept') }],
		});
		await article('New order');
		await button('Accept: New order').click();
		await text('Accepted by');
		expect(hooks.calls.map(({ path }) => path)).toEqual(['/accept']);
		expect(
			await page.$$eval('.text-link', (links) => links.map((link) => link.textContent)),
		).toEqual(['https://example.com/7']);
	});

	it('shows a Live Activity that changes', async () => {
		await api.stream('backup', { type: 'progress', title: 'Backup', percentage: 99.7 });
		await text('99.7%');
		await api.stream('backup', { percentage: 100 });
		await text('100%');
	});

	it('undoes a dismissal, and has everything in its history, which Back closes', async () => {
		// By keyboard: without a mouse, a finger swipes.
		await page.focus('aria/Dismiss notification: New order');
		await page.keyboard.press('Enter');
		// Offered for eight seconds, of which a busy machine needs most to find a place to click.
		const undo = await page.waitForSelector('.undo-bar button');
		await undo?.evaluate((found) => found.click());
		await article('New order');
		await button('History').click();
		await page.locator('.history .history-title').wait();
		expect(
			await page.$$eval('.history-title', (titles) => titles.map((title) => title.textContent)),
		).toEqual(['Backup', 'New order']);
		await page.goBack();
		await page.waitForSelector('.history', { hidden: true });
	});

	it('the console shows what was sent, and to whom', async () => {
		const words = ['account', 'setup-link', '--account', 'Bakery'];
		const { link } = await server.command<{ link: string }>(...words);
		await page.setViewport({ width: 1280, height: 860 });
		await page.goto(`${server.url}/console${new URL(link).hash}`);
		await page.locator('aria/Your name[role="textbox"]').fill('Olga');
		await page.locator('aria/Email address[role="textbox"]').fill('olga@example.com');
		await page.locator('input[type=password]').fill(PASSWORD);
		await button('Set up').click();
		await page.locator('aria/Live now[role="heading"]').wait();
		await text('Backup');
		await page.locator('aria/History[role="link"]').click();
		await text('New order');
		await page.waitForSelector('text/Reconnecting', { hidden: true });
	});

	it('raises no error', () => {
		expect(mistakes).toEqual([]);
	});
});
