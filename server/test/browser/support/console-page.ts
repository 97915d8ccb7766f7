import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { findingsOf } from './axe.ts';
import { eventually } from './browser.ts';

const SCREENSHOTS = join(import.meta.dirname, '../screenshots');
const ANIMATIONS = 500;

/** The console in a visitor's terms. */
export class ConsolePage {
	readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** Goes to a page by its name in the menu, which is behind a button on a narrow screen. */
	async open(name: string): Promise<void> {
		const menu = this.page.getByRole('button', { name: 'Open the menu' });
		if (await menu.isVisible()) await menu.click();
		await this.page.getByRole('link', { name, exact: true }).click();
		await this.heading(name).waitFor();
	}

	async signIn(email: string, password: string): Promise<void> {
		await this.field('Email address').fill(email);
		await this.field('Password').fill(password);
		await this.button('Sign in').click();
	}

	/** Makes an invitation, and leaves the members page open. */
	async inviteLink(): Promise<string> {
		await this.open('People');
		await this.button('Invite').click();
		await this.dialog().getByRole('button', { name: 'Create link' }).click();
		return this.takeLink();
	}

	/** Reads the link, shown only once, and closes its dialog. */
	async takeLink(): Promise<string> {
		const dialog = this.page.getByRole('dialog', { name: 'Send this link' });
		const link = await dialog.getByText(/#(invite|reset)=/).textContent();
		await this.page.keyboard.press('Escape');
		await dialog.waitFor({ state: 'detached' });
		return link ?? '';
	}

	/** Opens an invitation and joins. */
	async join(
		link: string,
		person: { name: string; email: string; password: string },
	): Promise<void> {
		await this.page.goto(link);
		await this.field('Your name').fill(person.name);
		await this.field('Email address').fill(person.email);
		await this.field('Password').fill(person.password);
		await this.button('Join').click();
		await this.heading('Live now').waitFor();
	}

	/** Waits for an entry of the history, which arrives behind a button while the history is open. */
	async arrival(title: string): Promise<void> {
		await eventually(async () => {
			const arrived = this.page.getByRole('button', { name: /^\d+\+? new$/ });
			if (await arrived.isVisible()) await arrived.click({ timeout: 5_000 });
			if (!(await this.button(title).first().isVisible())) throw new Error(`${title} is not there`);
		});
	}

	heading(name: string): Locator {
		return this.page.getByRole('heading', { level: 1, name, exact: true });
	}

	button(name: string): Locator {
		return this.page.getByRole('button', { name, exact: true });
	}

	/** Sends what the Playground shows; its button says to how many phones. */
	send(): Locator {
		return this.page.getByRole('button', { name: /^Send( to \S+ phones?)?$/ });
	}

	field(label: string): Locator {
		return this.page.getByLabel(label, { exact: true }).and(this.page.locator('input, textarea'));
	}

	dialog(): Locator {
		return this.page.getByRole('dialog');
	}

	card(name: string): Locator {
		return this.page.getByRole('article', { name, exact: true });
	}

	/** The first table row with these words. */
	row(words: string | RegExp): Locator {
		return this.page.getByRole('row', { name: words }).first();
	}

	/** The focused element: its words, or the element's name if it has none. */
	focused(): Promise<string> {
		return this.page.evaluate(() => {
			const focused = document.activeElement;
			const isPlace = focused === document.body || focused?.id === 'main';
			return isPlace ? focused.tagName.toLowerCase() : (focused?.textContent ?? '');
		});
	}

	/** Opens a field's list with the keyboard: a click may miss a field of a dialog that still moves. */
	async openList(field: Locator): Promise<void> {
		await field.press('ArrowDown');
	}

	async choose(label: string, option: string): Promise<void> {
		await this.openList(this.field(label));
		await this.page.getByRole('option', { name: option, exact: true }).click();
	}

	/** The findings of axe, as `rule: element` lines. */
	async findings(): Promise<string[]> {
		await this.rest();
		return findingsOf(this.page);
	}

	/** The elements that reach beyond the window's right edge, but for those in a box that scrolls. */
	tooWide(): Promise<string[]> {
		return this.page.evaluate(() => {
			const isScrolled = (element: Element | null): boolean =>
				element !== null &&
				element !== document.documentElement &&
				(element !== document.body && getComputedStyle(element).overflowX !== 'visible'
					? true
					: isScrolled(element.parentElement));
			return [...document.body.querySelectorAll('*')]
				.filter((element) => {
					const { right, width } = element.getBoundingClientRect();
					const isBeyond = width > 0 && right > window.innerWidth + 1;
					return isBeyond && !isScrolled(element.parentElement);
				})
				.map((element) => element.outerHTML.slice(0, 120));
		});
	}

	/** What can be tapped and is smaller than 44 px, but for links within a text. */
	tooSmall(): Promise<string[]> {
		return this.page.evaluate(() =>
			[...document.querySelectorAll('a, button, input:not([type=hidden]), [role=option], label')]
				// The phone's own cards are measured on the phone.
				.filter((element) => element.closest('.as-on-phone') === null)
				// The box around it takes the tap, or the keyboard never gets there.
				.filter((element) => !element.parentElement?.closest('.mantine-Input-input'))
				.filter((element) => element.getAttribute('tabindex') !== '-1')
				.filter((element) => {
					const { display, opacity, pointerEvents } = getComputedStyle(element);
					const { width, height, right, bottom } = element.getBoundingClientRect();
					// Focused by keyboard only, or covered by a larger one that acts for it.
					const isOutside = right <= 0 || bottom <= -window.scrollY;
					const isHidden = isOutside || opacity === '0' || pointerEvents === 'none' || width <= 1;
					const isText = display === 'inline' || (element.matches('label') && display !== 'grid');
					return !isHidden && !isText && height > 0 && (width < 44 || height < 44);
				})
				.map((element) => element.outerHTML.slice(0, 140)),
		);
	}

	async screenshot(name: string): Promise<void> {
		mkdirSync(SCREENSHOTS, { recursive: true });
		await this.rest();
		await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
	}

	/** Waits until nothing moves, with the pointer out of the way. */
	async rest(): Promise<void> {
		await this.page.mouse.move(2, 2);
		await this.page.waitForTimeout(ANIMATIONS);
	}
}
