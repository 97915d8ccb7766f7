import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, type Visit, visit } from './support/browser.ts';
import { createMetrics, METRICS, showcase } from './support/examples.ts';
import { PhonePage } from './support/phone-page.ts';

const README_PICTURE = join(import.meta.dirname, '../../../docs/images/phone.png');
const MAX_PICTURE_BYTES = 300_000;

/** Links, several phones, small screens, the keyboard: the same account in other windows. */
describe('the phone page in other circumstances', () => {
	let bench: Bench;
	/** The token of the phone with the showcase. */
	let token: string;
	let opened: Visit | undefined;

	beforeAll(async () => {
		bench = await openBench('Acme Bakery');
		await createMetrics(bench, METRICS.slice(0, 3));
		await bench.pair();
		await showcase(bench.api);
		token = await bench.phone.page.evaluate(() => localStorage.getItem('beckon.device') ?? '');
	});

	afterEach(async () => {
		await opened?.context.close();
		opened = undefined;
	});

	afterAll(async () => {
		await bench.close();
	});

	async function open(options: BrowserContextOptions = {}): Promise<PhonePage> {
		opened = await visit(bench.browser, options);
		return new PhonePage(opened.page);
	}

	/** Opens the showcase's phone in another window, by its token. */
	async function openShowcase(options: BrowserContextOptions = {}): Promise<PhonePage> {
		const phone = await open(options);
		await phone.page.goto(`${bench.server.url}/phone#token=${token}`);
		await phone.live();
		await phone.activity('Sourdough').waitFor();
		return phone;
	}

	it('pairs by a link with one tap, and keeps the code out of the address bar', async () => {
		const phone = await open();
		await bench.pair(phone);
		expect(phone.page.url()).toBe(`${bench.server.url}/phone`);
		await phone.page.goto(`${bench.server.url}/phone#code=${await bench.newCode()}`);
		await phone.page.getByRole('heading', { name: 'Pair this phone again?' }).waitFor();
		await phone.page.getByRole('button', { name: 'Keep current pairing' }).click();
		await phone.live();
	});

	it('adopts a token from a link, but asks before it takes the place of another phone', async () => {
		const phone = await open();
		await bench.pair(phone);
		await phone.page.goto(`${bench.server.url}/phone#token=${token}`);
		await phone.page.getByRole('heading', { name: 'Use another phone?' }).waitFor();
		expect(phone.page.url()).toBe(`${bench.server.url}/phone`);
		await phone.page.getByRole('button', { name: 'Switch to that phone' }).click();
		await phone.activity('Sourdough').waitFor();
	});

	it('keeps nothing of the phone that another one replaces, which may be another person’s', async () => {
		const phone = await open();
		await bench.pair(phone);
		/** Adds an id to what the service worker has shown. @returns the ids before */
		const addShown = (id: number) =>
			phone.page.evaluate(
				(added) =>
					new Promise<number[]>((resolve) => {
						const opening = indexedDB.open('keyval-store');
						opening.onsuccess = () => {
							const store = opening.result.transaction('keyval', 'readwrite').objectStore('keyval');
							const reading = store.get('shown');
							reading.onsuccess = () => {
								const shown = (reading.result as number[] | undefined) ?? [];
								store.put([...shown, added], 'shown');
								resolve(shown);
							};
						};
					}),
				id,
			);
		await addShown(1);
		expect(await addShown(2)).toEqual([1]);
		await phone.page.goto(`${bench.server.url}/phone#code=${await bench.newCode()}`);
		await phone.page.getByRole('button', { name: 'Pair', exact: true }).click();
		await phone.live();
		expect(await addShown(3)).toEqual([]);
		await phone.page.goto(`${bench.server.url}/phone#token=${token}`);
		await phone.page.getByRole('button', { name: 'Switch to that phone' }).click();
		await phone.activity('Sourdough').waitFor();
		expect(await addShown(4)).toEqual([]);
	});

	it('says that it was disconnected when its token is not valid', async () => {
		const phone = await open();
		await phone.page.goto(`${bench.server.url}/phone#token=bd_${'x'.repeat(43)}`);
		await phone.page.getByText('This phone was disconnected.').waitFor();
	});

	it('sits in a phone frame on a desktop', async () => {
		const phone = await openShowcase();
		const box = (await phone.page.locator('.phone').boundingBox())!;
		expect(box.width).toBeLessThan(430);
		await phone.page.locator('.beside').getByText('Acme Bakery').waitFor();
		await phone.screenshots('lock-screen');
	});

	it('fills a narrow screen', async () => {
		const phone = await openShowcase({
			viewport: { width: 390, height: 844 },
			isMobile: true,
			hasTouch: true,
		});
		const box = (await phone.page.locator('.phone').boundingBox())!;
		expect(box).toEqual({ x: 0, y: 0, width: 390, height: 844 });
		await phone.screenshots('narrow');
		await phone.page.getByRole('button', { name: 'Settings' }).tap();
		await phone.page.getByRole('dialog').getByText('Live', { exact: true }).waitFor();
		await phone.screenshots('about');
	});

	it('does not overflow the narrowest screens', async () => {
		const phone = await openShowcase({ viewport: { width: 320, height: 568 } });
		await bench.api.push({
			title: 'W'.repeat(255),
			subtitle: 'i'.repeat(255),
			message: 'Wort'.repeat(900),
		});
		await phone.notification('W'.repeat(255)).waitFor();
		await phone.expand('W'.repeat(255));
		const widths = await phone.page.evaluate(() =>
			[...document.querySelectorAll('.card, .widget, .scroller')].map(
				(node) => node.scrollWidth - node.clientWidth,
			),
		);
		expect(Math.max(...widths)).toBe(0);
		const right = await phone.page.evaluate(() =>
			Math.max(
				...[...document.querySelectorAll('.card')].map(
					(node) => node.getBoundingClientRect().right,
				),
			),
		);
		expect(right).toBeLessThanOrEqual(320);
		await phone.page
			.getByRole('button', { name: `Dismiss notification: ${'W'.repeat(255)}` })
			.focus();
		await phone.page.keyboard.press('Enter');
		await eventually(async () => expect(await phone.notification('W'.repeat(255)).count()).toBe(0));
	});

	it('unfolds a title longer than its line, although there is nothing else to unfold', async () => {
		const phone = await openShowcase({ viewport: { width: 390, height: 844 } });
		const title = 'The certificate of shop.example.com expires in three days';
		await bench.api.push({ title });
		await phone.expand(title);
		const hidden = await phone
			.notification(title)
			.locator('.notification-title')
			.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
		expect(hidden).toBe(0);
		await phone.page.getByRole('button', { name: `Dismiss notification: ${title}` }).focus();
		await phone.page.keyboard.press('Enter');
		await eventually(async () => expect(await phone.notification(title).count()).toBe(0));
	});

	it('can be used with the keyboard alone', async () => {
		const phone = await openShowcase();
		const names: string[] = [];
		for (let index = 0; index < 24; index += 1) {
			await phone.page.keyboard.press('Tab');
			names.push(
				await phone.page.evaluate(() => {
					const { activeElement } = document;
					return activeElement?.ariaLabel ?? activeElement?.textContent ?? '';
				}),
			);
		}
		for (const name of [
			'Dismiss notification: New order: €48.20',
			'Open log: Deploy shop 4.2.0',
			'Clear all notifications',
			'Beckon, badge 3',
		]) {
			expect(names).toContain(name);
		}
	});

	it('has no animation where the person wants none', async () => {
		const phone = await openShowcase({ reducedMotion: 'reduce' });
		await phone.page.waitForTimeout(300);
		const running = await phone.page.evaluate(
			() =>
				document.getAnimations().filter((animation) => animation.playState === 'running').length,
		);
		expect(running).toBe(0);
	});

	async function drawReadmePicture(): Promise<void> {
		const phone = await openShowcase({
			colorScheme: 'dark',
			deviceScaleFactor: 1,
			viewport: { width: 1000, height: 940 },
		});
		await phone.page.getByRole('button', { name: 'Not now' }).click();
		await phone.page.mouse.move(2, 2);
		await phone.page.waitForTimeout(1_000);
		mkdirSync(join(README_PICTURE, '..'), { recursive: true });
		const box = (await phone.page.locator('.phone').boundingBox())!;
		const clip = { x: box.x - 32, y: 0, width: box.width + 64, height: 940 };
		await phone.page.screenshot({ path: README_PICTURE, clip });
		if (statSync(README_PICTURE).size > MAX_PICTURE_BYTES) rmSync(README_PICTURE);
		expect(statSync(README_PICTURE).size).toBeLessThan(MAX_PICTURE_BYTES);
	}

	// No real test: it keeps the picture true to the page.
	if (process.env.UPDATE_IMAGES === 'true') it('draws the picture in README', drawReadmePicture);
});
