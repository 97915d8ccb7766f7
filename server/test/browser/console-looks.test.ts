import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PAGES, PASSWORD, startConsoleWorld } from './support/console-world.ts';

/** `UPDATE_IMAGES=true` refreshes the picture in the README. */
const REFRESHES_PICTURE = process.env.UPDATE_IMAGES === 'true';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
});

afterAll(() => world?.close());

/** Presses Tab until the element with these words has focus; fails after a fixed number of times. */
async function tabTo(words: string): Promise<void> {
	for (let step = 0; step < 60; step += 1) {
		await owner.page.keyboard.press('Tab');
		const focused = await owner.page.evaluate(() => document.activeElement?.textContent ?? '');
		if (focused === words) return;
	}
	throw new Error(`The keyboard does not reach ${words}`);
}

describe('every page', () => {
	beforeAll(async () => {
		for (const value of [980, 1040, 1110, 1204]) await world.api.metric('revenue.today', value);
		for (const value of [31, 44, 38, 52, 41]) await world.api.metric('cpu.load', value);
		await world.api.metric('build.status', 'passing');
		await world.api.push({ title: 'New order', message: '3 books for 42 €', tags: ['shop'] });
		await world.api.stream(
			'deploy',
			{
				type: 'segmented_progress',
				title: 'Deploy web',
				subtitle: 'Publishing',
				number_of_steps: 4,
				current_step: 3,
				color: 'purple',
				icon: 'bolt',
			},
			{
				tags: ['deploy'],
				action: { title: 'Open the run', type: 'open_url', url: 'https://example.com/run' },
			},
		);
		await world.api.stream('server', {
			type: 'metrics',
			title: 'web-1',
			metrics: [
				{ label: 'CPU', value: 41, unit: '%' },
				{ label: 'Memory', value: 63, unit: '%', color: 'orange' },
			],
			color: 'cyan',
			icon: 'cpu',
		});
		await world.api.stream('backup', {
			type: 'timer',
			title: 'Nightly backup',
			subtitle: 'Copying files',
			duration_seconds: 1_500,
			color: 'green',
		});
	});

	for (const colorScheme of ['light', 'dark'] as const) {
		it.each(PAGES)(
			`%s has no finding of axe in ${colorScheme}, and looks as in its picture`,
			async (name) => {
				await owner.page.emulateMedia({ colorScheme });
				await app.open(name);
				expect(await app.findings()).toEqual([]);
				await app.screenshot(`console-${name.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`);
			},
		);
	}

	it('is light or dark as the person chooses, whatever the system is, and remembers it', async () => {
		await app.open('Usage and limits');
		await owner.page.emulateMedia({ colorScheme: 'light' });
		const scheme = () => owner.page.locator('html').getAttribute('data-mantine-color-scheme');
		const choose = (name: string) =>
			owner.page
				.getByRole('radiogroup', { name: 'Appearance' })
				.getByText(name)
				.click({ force: true });
		await choose('Dark');
		await eventually(async () => expect(await scheme()).toBe('dark'));
		await owner.page.reload();
		await app.heading('Usage and limits').waitFor();
		expect(await scheme()).toBe('dark');
		await choose('Same as system');
		await eventually(async () => expect(await scheme()).toBe('light'));
	});

	it('shows the phone’s cards dark where the person chose dark, though the system is light', async () => {
		await owner.page.emulateMedia({ colorScheme: 'light' });
		await app.open('Live now');
		const ink = () =>
			owner.page
				.getByRole('region', { name: 'Deploy web' })
				.locator('.as-on-phone')
				.evaluate((element) => getComputedStyle(element).color);
		expect(await ink()).toBe('rgb(16, 19, 26)');
		const choose = (name: string) =>
			owner.page
				.getByRole('radiogroup', { name: 'Appearance' })
				.getByText(name)
				.click({ force: true });
		await choose('Dark');
		await eventually(async () => expect(await ink()).toBe('rgb(255, 255, 255)'));
		expect(await app.findings()).toEqual([]);
		await choose('Same as system');
	});

	it.each([
		['a narrow screen', 320, '100%'],
		['a tablet on its side', 1024, '100%'],
		['text of twice the size', 1280, '200%'],
		['text of twice the size on a phone', 390, '200%'],
	])('fits %s', async (_words, width, size) => {
		await owner.page.emulateMedia({ colorScheme: 'light' });
		await owner.page.setViewportSize({ width, height: 800 });
		const resize = (size: string) =>
			owner.page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
		await resize(size);
		for (const name of PAGES) {
			await app.open(name);
			await app.rest();
			expect([name, await app.tooWide()]).toEqual([name, []]);
		}
		await app.open('History');
		await app.screenshot(`console-${width}-${Number.parseInt(size)}`);
		await resize('');
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('has room for a finger at everything that can be tapped on a narrow screen', async () => {
		await owner.page.setViewportSize({ width: 390, height: 800 });
		for (const name of PAGES) {
			await app.open(name);
			await app.rest();
			expect([name, await app.tooSmall()]).toEqual([name, []]);
		}
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('has no two buttons of the same name', async () => {
		for (const name of PAGES) {
			await app.open(name);
			await app.rest();
			const names = await owner.page
				.locator('main')
				.getByRole('button')
				.evaluateAll((buttons) =>
					buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent),
				);
			expect([name, names]).toEqual([name, [...new Set(names)]]);
		}
	});

	it('is usable in the system’s own colors', async () => {
		await owner.page.emulateMedia({ forcedColors: 'active' });
		for (const name of PAGES) {
			await app.open(name);
			expect([name, await app.findings()]).toEqual([name, []]);
			await app.screenshot(`console-${name.toLowerCase().replaceAll(' ', '-')}-forced`);
		}
		await owner.page.emulateMedia({ forcedColors: 'none' });
	});

	it('moves the focus to the page that was opened, also from a menu that closes', async () => {
		await owner.page.setViewportSize({ width: 390, height: 800 });
		await app.open('Channels');
		await eventually(async () => expect(await app.focused()).toBe('main'));
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('writes dates and numbers in the browser’s language', async () => {
		await world.server.command('account', 'set', '--account', 'demo', '--quota', '12345');
		const german = await visit(world.browser, { locale: 'de-DE', timezoneId: 'Europe/Berlin' });
		await german.page.goto(`${world.server.url}/console`);
		const theirs = new ConsolePage(german.page);
		await theirs.signIn('olga@example.com', PASSWORD);
		await theirs.open('Usage and limits');
		await german.page.getByText('12.345', { exact: true }).waitFor();
		await german.context.close();
	});

	it.each(['light', 'dark'] as const)(
		'fits a narrow screen in %s, with its menu',
		async (scheme) => {
			await owner.page.emulateMedia({ colorScheme: scheme });
			await owner.page.setViewportSize({ width: 390, height: 800 });
			await owner.page.getByRole('button', { name: 'Open the menu' }).click();
			expect(await app.findings()).toEqual([]);
			await app.screenshot(`console-menu-${scheme}`);
			await owner.page.getByRole('button', { name: 'Close the menu' }).click();
			await owner.page.setViewportSize({ width: 1280, height: 860 });
		},
	);

	it('is reached with the keyboard alone', async () => {
		await app.open('Live now');
		await owner.page.reload();
		await app.heading('Live now').waitFor();
		await tabTo('Phones');
		await owner.page.keyboard.press('Enter');
		await app.heading('Phones').waitFor();
		await tabTo('Pair a phone');
		await app.button('Pair a phone').focus();
		await owner.page.keyboard.press('Enter');
		await app.dialog().waitFor();
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		await eventually(async () => {
			expect(await owner.page.evaluate(() => document.activeElement?.textContent)).toBe(
				'Pair a phone',
			);
		});
	});

	it('sends from the Playground, and changes its looks, with the keyboard alone', async () => {
		await app.open('Playground');
		await app.field('Title').fill('');
		await app.field('Title').focus();
		await owner.page.keyboard.type('Typed, not clicked');
		await tabTo('Send to 1 phone');
		await owner.page.keyboard.press('Enter');
		await owner.page.getByText('Sent to 1 phone').waitFor();
		const chosen = (name?: string) =>
			owner.page
				.getByRole('radiogroup', { name: 'Appearance' })
				.getByRole('radio', { checked: true, ...(name !== undefined && { name }) });
		const press = async (key: string, name: string) => {
			await owner.page.keyboard.press(key);
			await chosen(name).waitFor({ state: 'attached' });
		};
		const dark = owner.page.locator('html[data-mantine-color-scheme="dark"]');
		await chosen().focus();
		await press('ArrowRight', 'Light');
		await press('ArrowRight', 'Dark');
		await dark.waitFor({ state: 'attached' });
		await press('ArrowLeft', 'Light');
		await dark.waitFor({ state: 'detached' });
		await press('ArrowLeft', 'Same as system');
	});

	it('broke no rule of the content security policy and raised no error', () => {
		// The browser itself reports every refusal, and some of these tests provoke one.
		const ownWords = owner.complaints.filter((words) => !words.includes('status of 4'));
		expect(ownWords).toEqual([]);
	});

	it('gives the README its picture, when asked to', async () => {
		if (!REFRESHES_PICTURE) return;
		await owner.page.emulateMedia({ colorScheme: 'light' });
		await app.open('Live now');
		await app.button('Hide these steps').click();
		await app.screenshot('console-readme');
		const picture = join(import.meta.dirname, '../../../docs/images/console.png');
		copyFileSync(join(import.meta.dirname, 'screenshots/console-readme.png'), picture);
		expect(statSync(picture).size).toBeLessThan(300_000);
	});
});
