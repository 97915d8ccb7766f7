import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PAGES, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

/** One word of this many wide letters, which tells where it ends. */
const word = (letters: number, letter = 'W') => `${letter.repeat(letters - 1)}!`;
const slug = (letters: number) => 'w'.repeat(letters);

const TITLE = word(255);
const SUBTITLE = word(255, 'M');
const MESSAGE = word(4_000);
const NAME = word(64);
/** As many tags as are allowed, each as long as is allowed. */
const TAGS = Array.from({ length: 20 }, (_, number) => `${number}`.padEnd(64, 'w'));

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	const create = (...words: string[]) => world.server.command(...words, '--account', 'demo');
	await create('user', 'add', '--name', NAME);
	await create('channel', 'create', '--slug', slug(64), '--name', NAME);
	await create('channel', 'assign', '--channel', slug(64), '--users', NAME);
	await create('metric', 'create', '--key', slug(64), '--name', NAME, '--format', 'string');
	await create('key', 'create', '--name', NAME);
	await world.pair(NAME, NAME);
	await world.api.metric(slug(64), NAME);
	await world.api.stream(
		slug(64),
		{ type: 'alert', title: TITLE, subtitle: SUBTITLE, message: MESSAGE, badge: { title: NAME } },
		{ tags: TAGS },
	);
	await world.api.push({
		title: TITLE,
		subtitle: SUBTITLE,
		message: MESSAGE,
		tags: TAGS,
		metadata: { text: word(512) },
	});
	await world.enter();
});

afterAll(() => world?.close());

/** True if all of the element's text is in sight, none of it cut off at its end. */
const isWhole = (locator: Locator): Promise<boolean> =>
	locator.evaluate(
		({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
			scrollHeight <= clientHeight + 1 && scrollWidth <= clientWidth + 1,
	);

const heightsOf = (locator: Locator): Promise<number[]> =>
	locator.evaluateAll((elements) =>
		elements.map((element) => Math.round(element.getBoundingClientRect().height)),
	);

/** How much wider the element's content is than the element. */
const hiddenWidth = (locator: Locator): Promise<number> =>
	locator.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

describe.each([
	[1_280, 130],
	[320, 200],
])('a text of one long word, on a screen of %d px', (width, tallest) => {
	beforeAll(() => owner.page.setViewportSize({ width, height: 860 }));

	it('makes no page wider than the screen', async () => {
		for (const name of PAGES) {
			await app.open(name);
			await app.rest();
			expect([name, await app.tooWide()]).toEqual([name, []]);
			expect([name, await hiddenWidth(owner.page.locator('html'))]).toEqual([name, 0]);
		}
	});

	it('takes two lines of the history, and is whole in the entry', async () => {
		await app.open('History');
		const rows = owner.page.locator('.entries tbody tr');
		await rows.nth(1).waitFor();
		for (const height of await heightsOf(rows)) expect(height).toBeLessThan(tallest);
		expect(await hiddenWidth(owner.page.getByRole('group', { name: 'History' }))).toBe(0);
		await app.screenshot(`console-long-history-${width}`);
		// The newest first: the push, then the Live Activity.
		for (const [index, parts] of [
			['.notification-title', '.notification-subtitle', '.notification-message'],
			['.activity-title', '.activity-subtitle-text', '.activity-message'],
		].entries()) {
			await rows.nth(index).getByRole('button').click();
			await app.dialog().locator(parts[0]!).waitFor();
			await app.rest();
			for (const [at, text] of [TITLE, SUBTITLE, MESSAGE].entries()) {
				const part = app.dialog().locator(parts[at]!);
				expect([parts[at], await part.textContent(), await isWhole(part)]).toEqual([
					parts[at],
					text,
					true,
				]);
			}
			expect(await hiddenWidth(app.dialog())).toBe(0);
			expect((await heightsOf(app.dialog().getByRole('heading')))[0]).toBeLessThan(60);
			expect(await app.findings()).toEqual([]);
			await app.screenshot(`console-long-entry-${index}-${width}`);
			await owner.page.keyboard.press('Escape');
			await app.dialog().waitFor({ state: 'detached' });
		}
	});

	it('leaves a card of what runs now as high as a phone shows it, and a question on one screen', async () => {
		await app.open('Live now');
		const card = owner.page.getByRole('region', { name: TITLE });
		await app.rest();
		await app.screenshot(`console-long-live-${width}`);
		const [onPhone = 0] = await heightsOf(card.locator('.as-on-phone'));
		const [whole = 0] = await heightsOf(card);
		expect(whole - onPhone).toBeLessThan(280);
		await card.getByRole('button', { name: `End ${TITLE}` }).click();
		await app.dialog().getByRole('button', { name: 'Cancel' }).waitFor();
		await app.rest();
		expect(await hiddenWidth(app.dialog())).toBe(0);
		expect((await heightsOf(app.dialog()))[0]).toBeLessThan(400);
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
	});

	it('is whole as the name of a phone, a metric and its value', async () => {
		for (const [page, texts] of [
			['Phones', [NAME, `${NAME} · Browser`]],
			['Metrics', [NAME, slug(64), NAME]],
		] as const) {
			await app.open(page);
			const lines = app.card(NAME).locator('p');
			await lines.first().waitFor();
			expect((await lines.allTextContents()).slice(0, texts.length)).toEqual(texts);
			for (const line of await lines.all()) expect(await isWhole(line)).toBe(true);
		}
	});
});
