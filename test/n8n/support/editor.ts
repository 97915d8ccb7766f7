import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

import { OWNER } from './n8n-api.ts';
import { HANGS_SECONDS } from './wait.ts';

/** n8n's editor in a browser, used as a person uses it: only through the page. */
export class Editor {
	readonly page: Page;

	private readonly url: string;

	private constructor(page: Page, url: string) {
		this.page = page;
		this.url = url;
	}

	/** Opens a new browser window and logs in. */
	static async logIn(
		browser: Browser,
		url: string,
		options: BrowserContextOptions = {},
	): Promise<Editor> {
		const context = await browser.newContext({
			viewport: { width: 1360, height: 760 },
			deviceScaleFactor: 1.5,
			locale: 'en-GB',
			colorScheme: 'light',
			...options,
		});
		// The editor calls outside hosts, which would only keep it waiting.
		await context.route(
			(target) => target.origin !== new URL(url).origin,
			(route) => route.abort(),
		);
		const page = await context.newPage();
		page.setDefaultTimeout(HANGS_SECONDS * 1_000);
		await page.goto(`${url}/signin`);
		await page.locator('input[type="email"]').fill(OWNER.email);
		await page.locator('input[type="password"]').fill(OWNER.password);
		await page.keyboard.press('Enter');
		await page.waitForURL(/\/(home|workflow)/);
		return new Editor(page, url);
	}

	/** Opens an empty canvas with the trigger that the Execute button starts. */
	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.part('canvas-plus-button').click();
		await this.part('node-creator-search-bar').fill('manual');
		await this.found(/^(Trigger manually|Manual Trigger)/).click();
		await this.part('canvas-trigger-node').waitFor();
	}

	/** Opens the list of nodes and searches it; `found` returns the matches. */
	async search(words: string): Promise<void> {
		const bar = this.part('node-creator-search-bar');
		if (!(await bar.isVisible())) await this.part('node-creator-plus-button').click();
		// Matches of an earlier search must not count.
		await bar.fill('nothing is called like this');
		await this.found(/./).waitFor({ state: 'detached' });
		await bar.fill(words);
	}

	/** An entry in the list of nodes, or of a node's actions. */
	found(name: string | RegExp): Locator {
		return this.part('node-creator-item-name').filter({ hasText: name }).first();
	}

	/** Chooses a credential in the opened node. n8n does so itself only if it already has the list. */
	async chooseCredential(id: string): Promise<void> {
		await this.part('node-credentials-select').click();
		await this.part(`node-credentials-select-item-${id}`).click();
	}

	/** A field of the opened node. */
	field(parameter: string): Locator {
		return this.part(`parameter-input-${parameter}`).locator('input, textarea').first();
	}

	/** Opens a field's list, searches it, and takes the entry found. */
	async chooseFromList(parameter: string, words: string, entry: string): Promise<void> {
		await this.part(`resource-locator-${parameter}`)
			.locator('[data-test-id="rlc-input-container"]')
			.click();
		await this.part('rlc-search').filter({ visible: true }).fill(words);
		await this.part('rlc-item').filter({ hasText: entry, visible: true }).first().click();
	}

	/** Adds one of the fields that a node keeps under Options. */
	async addOption(name: string): Promise<void> {
		await this.page.getByPlaceholder('Add option').filter({ visible: true }).first().click();
		await this.page.getByRole('option', { name, exact: true }).click();
	}

	async executeStep(): Promise<void> {
		await this.part('node-execute-button').click();
	}

	/** The output of the opened node, or its error. */
	get output(): Locator {
		return this.part('output-panel');
	}

	/** Shows the output as JSON. */
	async showJson(): Promise<void> {
		await this.output.locator('[data-test-id="radio-button-json"]').click();
	}

	/** Takes a picture of the opened node alone: without its neighbours and n8n's notices in the corner. */
	async picture(file: string): Promise<void> {
		const box = await this.part('ndv').boundingBox();
		if (!box) throw new Error('No node is open');
		const clip = { x: box.x + 2, y: box.y + 2, width: box.width - 4, height: box.height - 4 };
		const style = '[data-test-id="floating-nodes"], .el-notification { visibility: hidden }';
		await this.page.screenshot({ path: file, clip, style });
	}

	private part(testId: string): Locator {
		return this.page.locator(`[data-test-id="${testId}"]`);
	}
}
