import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

const SCREENSHOTS = join(import.meta.dirname, '../screenshots');
const ANIMATIONS = 700;

/** The phone page in the words of somebody who looks at it. */
export class PhonePage {
	readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** Waits until the lock screen is there and the event stream is open. */
	async live(): Promise<void> {
		await this.page.locator('.status-icons .is-live').waitFor({ timeout: 20_000 });
	}

	notification(title: string): Locator {
		return this.page
			.locator('.notification')
			.filter({ has: this.page.getByText(title, { exact: true }) });
	}

	activity(title: string): Locator {
		return this.page
			.locator('.activity')
			.filter({ has: this.page.getByRole('heading', { name: title, exact: true }) });
	}

	widget(key: string): Locator {
		return this.page.locator(`[data-metric="${key}"]`);
	}

	badge(): Locator {
		return this.page.getByTestId('app-badge');
	}

	async expand(title: string): Promise<void> {
		await this.page.getByRole('button', { name: `Expand notification: ${title}` }).click();
	}

	async type(code: string): Promise<void> {
		await this.page.getByLabel('Pairing code').fill(code);
	}

	async pair(): Promise<void> {
		await this.page.getByRole('button', { name: 'Pair', exact: true }).click();
	}

	/** Takes a screenshot when everything has come to rest, with the pointer out of the way. */
	async screenshot(name: string): Promise<void> {
		mkdirSync(SCREENSHOTS, { recursive: true });
		await this.page.mouse.move(2, 2);
		await this.page.waitForTimeout(ANIMATIONS);
		await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
	}
}
