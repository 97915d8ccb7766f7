import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { findingsOf } from './axe.ts';
import { eventually } from './browser.ts';

const SCREENSHOTS = join(import.meta.dirname, '../screenshots');
/** Milliseconds and frames without a move: longer than taps on a card that has moved are ignored (350 ms). */
const STILL = { ms: 600, frames: 15 };

/** Narrow phone, phone, tablet and wide screen. */
export const WIDTHS = [320, 390, 768, 1440];

/** The phone page in a person's terms. */
export class PhonePage {
	readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** Waits until the lock screen is shown and the event stream is open. */
	async live(): Promise<void> {
		await this.page.locator('.status-icons .is-live').waitFor();
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

	/** A switch among the settings, in the panel beside the phone. */
	setting(name: string): Locator {
		return this.page.locator('.beside').getByRole('switch', { name, exact: true });
	}

	/** Switches the sound, and waits until the page has stored it. */
	async toggleSound(): Promise<void> {
		const isOn = (await this.setting('Sound').getAttribute('aria-checked')) === 'true';
		await this.setting('Sound').click();
		await this.kept('settings', (settings) => settings.includes(`"sound":${!isOn}`));
	}

	/** Waits until the value stored in IndexedDB, as JSON, is right. */
	async kept(key: string, isRight: (json: string) => boolean): Promise<void> {
		await eventually(async () => {
			const json = await this.page.evaluate(async (key) => {
				const open = indexedDB.open('keyval-store');
				const database = await new Promise<IDBDatabase>((resolve) => {
					open.onsuccess = () => resolve(open.result);
				});
				const get = database.transaction('keyval').objectStore('keyval').get(key);
				await new Promise((resolve) => (get.onsuccess = resolve));
				database.close();
				return JSON.stringify(get.result ?? null);
			}, key);
			if (!isRight(json)) throw new Error(`${key} is ${json}`);
		});
	}

	/** Hides the page. A browser without a window reports every page visible, so this one is told. */
	hide(): Promise<void> {
		return this.#setVisibility('hidden');
	}

	unhide(): Promise<void> {
		return this.#setVisibility('visible');
	}

	async #setVisibility(state: DocumentVisibilityState): Promise<void> {
		await this.page.evaluate((visibilityState) => {
			const properties = { visibilityState, hidden: visibilityState === 'hidden' };
			for (const [name, value] of Object.entries(properties))
				Object.defineProperty(document, name, { configurable: true, get: () => value });
			document.dispatchEvent(new Event('visibilitychange'));
		}, state);
	}

	/** The newest question is unfolded by itself. */
	async expand(title: string): Promise<void> {
		// A card that has moved to another list starts collapsed there.
		await this.rest();
		const button = this.notification(title).locator('.expand-button');
		if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
	}

	/** The findings of axe, as `rule: element` lines. */
	async findings(): Promise<string[]> {
		await this.rest();
		return findingsOf(this.page);
	}

	/** Fails if axe finds something, or if anything is wider than its place, at any width; takes a picture of each. */
	async fitsEverywhere(name: string): Promise<void> {
		const upright = WIDTHS.map((width) => ({ width, height: 844 }));
		for (const size of [...upright, { width: 844, height: 390 }]) {
			const at = `at ${size.width} × ${size.height}`;
			await this.page.setViewportSize(size);
			assert.deepEqual(await this.findings(), [], at);
			const overflow = await this.page.evaluate(() =>
				[
					...document.querySelectorAll(
						'.card, .widget, .scroller, .metric-entry, .history, .history-entry, .sheet-content',
					),
				].map((node) => node.scrollWidth - node.clientWidth),
			);
			assert.equal(Math.max(0, ...overflow), 0, `too wide ${at}`);
			await this.screenshots(`${name}-${size.width}`);
		}
	}

	/** Waits until nothing moves, with the pointer out of the way. */
	async rest(): Promise<void> {
		await this.page.mouse.move(2, 2);
		await this.page.evaluate(async ({ ms, frames }) => {
			const places = () =>
				[...document.querySelectorAll('.card, .widget, .sheet-content, .history-entry')]
					.map((one) => Object.values(one.getBoundingClientRect().toJSON()).join())
					.join(' ');
			let [seen, since, count] = ['', performance.now(), 0];
			while (count < frames || performance.now() < since + ms) {
				await new Promise(requestAnimationFrame);
				count += 1;
				if (places() !== seen) [seen, since, count] = [places(), performance.now(), 0];
			}
		}, STILL);
	}

	/** Taps what acts: a tap on a card that has just moved is ignored. */
	async tap(button: Locator): Promise<void> {
		await button.waitFor();
		await this.rest();
		await button.click();
	}

	/** Dismisses the card with this title by its own button. */
	async dismiss(what: 'notification' | 'activity', title: string): Promise<void> {
		await this.tap(this.page.getByRole('button', { name: `Dismiss ${what}: ${title}` }));
	}

	async type(code: string): Promise<void> {
		await this.page.getByLabel('Pairing code').fill(code);
	}

	async pair(): Promise<void> {
		await this.page.getByRole('button', { name: 'Pair', exact: true }).click();
	}

	/**
	 * Takes screenshots in light and dark once everything is at rest, with the pointer out of the way;
	 * afterwards the page is dark.
	 */
	async screenshots(name: string): Promise<void> {
		mkdirSync(SCREENSHOTS, { recursive: true });
		await this.rest();
		for (const colorScheme of ['light', 'dark'] as const) {
			await this.page.emulateMedia({ colorScheme });
			await this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
		}
	}
}
